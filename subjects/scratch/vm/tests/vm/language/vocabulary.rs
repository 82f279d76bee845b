//! The short names of blocks.

/// Each line contains a short name, the opcode, and the operands in order. `.X` is a field;
/// `SUBSTACK` and `SUBSTACK2` are branches.
pub(super) const BLOCKS: &str = "
    flag event_whenflagclicked
    key event_whenkeypressed .KEY_OPTION
    clicked event_whenthisspriteclicked
    stage-clicked event_whenstageclicked
    shown event_whenbackdropswitchesto .BACKDROP
    received event_whenbroadcastreceived .BROADCAST_OPTION
    cloned control_start_as_clone
    when-touching event_whentouchingobject TOUCHINGOBJECTMENU
    when-greater event_whengreaterthan .WHENGREATERTHANMENU VALUE
    when-typed makeymakey_whenCodePressed SEQUENCE
    when-motion videoSensing_whenMotionGreaterThan REFERENCE

    move motion_movesteps STEPS
    goto-xy motion_gotoxy X Y
    goto motion_goto TO
    right motion_turnright DEGREES
    left motion_turnleft DEGREES
    point motion_pointindirection DIRECTION
    towards motion_pointtowards TOWARDS
    glide motion_glidesecstoxy SECS X Y
    glide-to motion_glideto SECS TO
    bounce motion_ifonedgebounce
    style motion_setrotationstyle .STYLE
    change-x motion_changexby DX
    set-x motion_setx X
    change-y motion_changeyby DY
    set-y motion_sety Y
    x motion_xposition
    y motion_yposition
    direction motion_direction

    say looks_say MESSAGE
    think looks_think MESSAGE
    say-for looks_sayforsecs MESSAGE SECS
    think-for looks_thinkforsecs MESSAGE SECS
    show looks_show
    hide looks_hide
    costume looks_switchcostumeto COSTUME
    next-costume looks_nextcostume
    backdrop looks_switchbackdropto BACKDROP
    backdrop-wait looks_switchbackdroptoandwait BACKDROP
    next-backdrop looks_nextbackdrop
    change-effect looks_changeeffectby .EFFECT CHANGE
    set-effect looks_seteffectto .EFFECT VALUE
    clear-effects looks_cleargraphiceffects
    set-size looks_setsizeto SIZE
    change-size looks_changesizeby CHANGE
    layer looks_gotofrontback .FRONT_BACK
    layers looks_goforwardbackwardlayers .FORWARD_BACKWARD NUM
    size looks_size
    costume-of looks_costumenumbername .NUMBER_NAME
    backdrop-of looks_backdropnumbername .NUMBER_NAME

    play sound_play SOUND_MENU
    play-done sound_playuntildone SOUND_MENU
    stop-sounds sound_stopallsounds
    set-volume sound_setvolumeto VOLUME
    change-volume sound_changevolumeby VOLUME
    volume sound_volume
    set-sound sound_seteffectto .EFFECT VALUE
    change-sound sound_changeeffectby .EFFECT VALUE
    clear-sound sound_cleareffects

    broadcast event_broadcast BROADCAST_INPUT
    broadcast-wait event_broadcastandwait BROADCAST_INPUT

    wait control_wait DURATION
    repeat control_repeat TIMES SUBSTACK
    forever control_forever SUBSTACK
    if control_if CONDITION SUBSTACK
    if-else control_if_else CONDITION SUBSTACK SUBSTACK2
    wait-until control_wait_until CONDITION
    until control_repeat_until CONDITION SUBSTACK
    while control_while CONDITION SUBSTACK
    for control_for_each .VARIABLE VALUE SUBSTACK
    at-once control_all_at_once SUBSTACK
    stop control_stop .STOP_OPTION
    clone control_create_clone_of CLONE_OPTION
    delete-clone control_delete_this_clone
    counter control_get_counter
    incr-counter control_incr_counter
    clear-counter control_clear_counter

    touching sensing_touchingobject TOUCHINGOBJECTMENU
    touching-color sensing_touchingcolor COLOR
    color-touching sensing_coloristouchingcolor COLOR COLOR2
    distance sensing_distanceto DISTANCETOMENU
    ask sensing_askandwait QUESTION
    answer sensing_answer
    key? sensing_keypressed KEY_OPTION
    mouse-down sensing_mousedown
    mouse-x sensing_mousex
    mouse-y sensing_mousey
    drag-mode sensing_setdragmode .DRAG_MODE
    loudness sensing_loudness
    loud sensing_loud
    timer sensing_timer
    reset-timer sensing_resettimer
    of sensing_of .PROPERTY OBJECT
    current sensing_current .CURRENTMENU
    days sensing_dayssince2000
    username sensing_username

    + operator_add NUM1 NUM2
    - operator_subtract NUM1 NUM2
    * operator_multiply NUM1 NUM2
    / operator_divide NUM1 NUM2
    random operator_random FROM TO
    > operator_gt OPERAND1 OPERAND2
    < operator_lt OPERAND1 OPERAND2
    = operator_equals OPERAND1 OPERAND2
    and operator_and OPERAND1 OPERAND2
    or operator_or OPERAND1 OPERAND2
    not operator_not OPERAND
    join operator_join STRING1 STRING2
    letter operator_letter_of LETTER STRING
    length operator_length STRING
    contains operator_contains STRING1 STRING2
    mod operator_mod NUM1 NUM2
    round operator_round NUM
    math operator_mathop .OPERATOR NUM

    set data_setvariableto .VARIABLE VALUE
    change data_changevariableby .VARIABLE VALUE
    show-var data_showvariable .VARIABLE
    hide-var data_hidevariable .VARIABLE
    show-list data_showlist .LIST
    hide-list data_hidelist .LIST
    contents data_listcontents .LIST
    add data_addtolist .LIST ITEM
    delete data_deleteoflist .LIST INDEX
    delete-all data_deletealloflist .LIST
    insert data_insertatlist .LIST ITEM INDEX
    replace data_replaceitemoflist .LIST INDEX ITEM
    item data_itemoflist .LIST INDEX
    item# data_itemnumoflist .LIST ITEM
    items data_lengthoflist .LIST
    has data_listcontainsitem .LIST ITEM
    arg argument_reporter_string_number .VALUE
    arg? argument_reporter_boolean .VALUE

    pen-clear pen_clear
    stamp pen_stamp
    pen-down pen_penDown
    pen-up pen_penUp
    pen-color pen_setPenColorToColor COLOR
    pen-set pen_setPenColorParamTo COLOR_PARAM VALUE
    pen-change pen_changePenColorParamBy COLOR_PARAM VALUE
    pen-size pen_setPenSizeTo SIZE
    pen-grow pen_changePenSizeBy SIZE
    drum music_playDrumForBeats DRUM BEATS
    rest music_restForBeats BEATS
    note music_playNoteForBeats NOTE BEATS
    set-tempo music_setTempo TEMPO
    change-tempo music_changeTempo TEMPO
    tempo music_getTempo
    speak text2speech_speakAndWait WORDS
    translate translate_getTranslate WORDS LANGUAGE
";
