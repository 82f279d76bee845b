// Block patterns: the functions of `B`, and the comparison of blocks with patterns.
(function (kit) {
    'use strict';
    const {Node, NativeString, define} = kit;

    // One function on each line: its name, then the parts of its pattern: type, opcode, and inputs
    // and fields, each with the number of the argument. After `@` comes the opcode of the menu that
    // contains the argument. A star stands for a function that is written below.
    const TABLE = `
anything *
backdrop =reporter looks_backdropnumbername fields:NUMBER_NAME.0
changeEffectBy looks_changeeffectby inputs:CHANGE.1 fields:EFFECT.0
changeSizeBy looks_changesizeby inputs:CHANGE.0
changeXBy motion_changexby inputs:DX.0
changeYBy motion_changeyby inputs:DY.0
clearGraphicsEffects looks_cleargraphiceffects
costume =reporter looks_costumenumbername fields:NUMBER_NAME.0
customBlock *
playSound sound_play inputs:SOUND_MENU.0@sound_sounds_menu
stopAllSounds sound_stopallsounds
direction =reporter motion_direction
glideZSecsToX motion_glideto inputs:SECS.0,TO.1@motion_glideto_menu
glideZSecsToXY motion_glidesecstoxy inputs:SECS.0,X.1,Y.2
goLayers looks_goforwardbackwardlayers inputs:NUM.1 fields:FORWARD_BACKWARD.0
goTo motion_goto inputs:TO.0@motion_goto_menu
goToLayer looks_gotofrontback fields:FRONT_BACK.0
goToXY motion_gotoxy inputs:X.0,Y.1
greenFlag event_whenflagclicked
hide looks_hide
ifOnEdgeBounce motion_ifonedgebounce
moveXSteps motion_movesteps inputs:STEPS.0
nextBackdrop looks_nextbackdrop
nextCostume looks_nextcostume
pointInDirection motion_pointindirection inputs:DIRECTION.0
pointTowards motion_pointtowards inputs:TOWARDS.0@motion_pointtowards_menu
say looks_say inputs:MESSAGE.0
sayForXSeconds looks_sayforsecs inputs:MESSAGE.0,SECS.1
setEffectTo looks_seteffectto inputs:VALUE.1 fields:EFFECT.0
setRotationStyle motion_setrotationstyle fields:STYLE.0
setSizeTo looks_setsizeto inputs:SIZE.0
setXTo motion_setx inputs:X.0
setYTo motion_sety inputs:Y.0
show looks_show
size looks_size =reporter
switchBackdropTo looks_switchbackdropto inputs:BACKDROP.0@looks_backdrops
switchBackdropToAndWait looks_switchbackdroptoandwait inputs:BACKDROP.0@looks_backdrops
switchCostumeTo looks_switchcostumeto inputs:COSTUME.0@looks_costume
think looks_think inputs:MESSAGE.0
thinkForXSeconds looks_thinkforsecs inputs:MESSAGE.0,SECS.1
turnLeftXDegrees motion_turnleft inputs:DEGREES.0
turnRightXDegrees motion_turnright inputs:DEGREES.0
whenBackdropSwitchedTo event_whenbackdropswitchesto fields:BACKDROP.0
whenIReceive event_whenbroadcastreceived fields:BROADCAST_OPTION.0
whenKeyPressed event_whenkeypressed fields:KEY_OPTION.0
whenSpriteClicked event_whenthisspriteclicked
whenStageClicked event_whenstageclicked
whenXGreaterThanY event_whengreaterthan fields:WHENGREATERTHANMENU.0 inputs:VALUE.1
xPosition =reporter motion_xposition
yPosition =reporter motion_yposition
broadcast event_broadcast inputs:BROADCAST_INPUT.0
broadcastAndWait event_broadcastandwait inputs:BROADCAST_INPUT.0
whenIStartAsClone control_start_as_clone
wait control_wait inputs:DURATION.0
nothing *
stack *
script *
equals =boolean operator_equals inputs:OPERAND1.0,OPERAND2.1
forever control_forever inputs:SUBSTACK.0
ifThenElse control_if_else inputs:CONDITION.0,SUBSTACK.1,SUBSTACK2.2
isTouching =boolean sensing_touchingobject inputs:TOUCHINGOBJECTMENU.0@sensing_touchingobjectmenu
pickRandom =reporter operator_random inputs:FROM.0,TO.1
repeat control_repeat inputs:TIMES.0,SUBSTACK.1
procedureCall *
stringNumberArgument =argument argument_reporter_string_number fields:VALUE.0
procedureDefinition *
repeatUntil control_repeat_until inputs:CONDITION.0,SUBSTACK.1
setXtoY data_setvariableto fields:VARIABLE.0 inputs:VALUE.1
add =reporter operator_add inputs:NUM1.0,NUM2.1
subtract =reporter operator_subtract inputs:NUM1.0,NUM2.1
transparent *
waitUntil control_wait_until inputs:CONDITION.0
loudness =reporter sensing_loudness
createCloneOf control_create_clone_of inputs:CLONE_OPTION.0@control_create_clone_of_menu
ifThen control_if inputs:CONDITION.0,SUBSTACK.1
isMouseDown =boolean sensing_mousedown
deleteThisClone control_delete_this_clone
resetTimer sensing_resettimer
setDragMode sensing_setdragmode fields:DRAG_MODE.0
askAndWait sensing_askandwait inputs:QUESTION.0
isTouchingColor =boolean sensing_touchingcolor inputs:COLOR.0
colorIsTouching =boolean sensing_coloristouchingcolor inputs:COLOR.0,COLOR2.1
isKeyPressed =boolean sensing_keypressed inputs:KEY_OPTION.0@sensing_keyoptions
distanceTo =reporter sensing_distanceto inputs:DISTANCETOMENU.0@sensing_distancetomenu
answer =reporter sensing_answer
mouseX =reporter sensing_mousex
mouseY =reporter sensing_mousey
timer =reporter sensing_timer
senseXOfY =reporter sensing_of fields:PROPERTY.0 inputs:OBJECT.1@sensing_of_object_menu
currentX =reporter sensing_current fields:CURRENTMENU.0
divide =reporter operator_divide inputs:NUM1.0,NUM2.1
multiply =reporter operator_multiply inputs:NUM1.0,NUM2.1
daysSince2000 =reporter sensing_dayssince2000
round =reporter operator_round inputs:NUM.0
username =reporter sensing_username
isLessThan =boolean operator_lt inputs:OPERAND1.0,OPERAND2.1
isGreaterThan =boolean operator_gt inputs:OPERAND1.0,OPERAND2.1
and =boolean operator_and inputs:OPERAND1.0,OPERAND2.1
or =boolean operator_or inputs:OPERAND1.0,OPERAND2.1
contains =boolean operator_contains inputs:STRING1.0,STRING2.1
not =boolean operator_not inputs:OPERAND.0
letterOf =reporter operator_letter_of inputs:LETTER.0,STRING.1
mod =reporter operator_mod inputs:NUM1.0,NUM2.1
operatorOf =reporter operator_mathop fields:OPERATOR.0 inputs:NUM.1
showVariable data_showvariable fields:VARIABLE.0
hideVariable data_hidevariable fields:VARIABLE.0
variable =reporter data_variable fields:VARIABLE.0
addXtoList data_addtolist fields:LIST.1 inputs:ITEM.0
deleteAllFromList data_deletealloflist fields:LIST.0
replaceInList data_replaceitemoflist fields:LIST.1 inputs:INDEX.0,ITEM.2
showList data_showlist fields:LIST.0
list =reporter data_listcontents fields:LIST.0
join =reporter operator_join inputs:STRING1.0,STRING2.1
lengthOf =reporter operator_length inputs:STRING.0
changeXbyY data_changevariableby fields:VARIABLE.0 inputs:VALUE.1
deleteXfromList data_deleteoflist fields:LIST.1 inputs:INDEX.0
insertAt data_insertatlist fields:LIST.2 inputs:ITEM.0,INDEX.1
indexOf =reporter data_itemnumoflist inputs:ITEM.0 fields:LIST.1
hideList data_hidelist fields:LIST.0
itemOfList =reporter data_itemoflist fields:LIST.1 inputs:INDEX.0
lengthOfList =reporter data_lengthoflist fields:LIST.0
listContains =boolean data_listcontainsitem fields:LIST.0 inputs:ITEM.1
stop control_stop fields:STOP_OPTION.0
nodeMatchesPattern *
subTreeMatchesStack *
subTreeMatchesScript *
checkBlocks *
anyOrder *
penEraseAll pen_clear
penUp pen_penUp
penDown pen_penDown
penSetColor pen_setPenColorToColor inputs:COLOR.0`;

    /** A wildcard. Its JSON form is a string, so that plans can print patterns. */
    const wildcard = name => define({}, 'toJSON', () => `__${name}_block_or_value_sentinel__`);
    const ANYTHING = wildcard('any');
    const NOTHING = wildcard('never');

    /** Patterns for a chain of blocks. */
    class Script {
        constructor(blockPatterns) {
            this.blockPatterns = blockPatterns;
        }
    }
    const script = (first, ...rest) => new Script([first, ...rest]);
    const menu = (opcode, field, value) => new Script([{opcode, fields: {[field]: value}}]);
    const isReporter = value => typeof value?.opcode === 'string' &&
        (value.opcode.startsWith('operator_') || value.type === 'argument');

    const B = {
        anything: () => ANYTHING,
        nothing: () => NOTHING,
        customBlock: (opcode, inputs, fields) => ({opcode, inputs, fields}),
        stack: script,
        script,
        procedureCall: (...parts) => ({opcode: 'procedures_call', argumentList: parts}),
        procedureDefinition: mutation => ({
            opcode: 'procedures_definition',
            inputs: {custom_block: new Script([{opcode: 'procedures_prototype', mutation}])},
        }),
        transparent: () => 'GHOST',
    };

    const argument = (opcode, name, value) => {
        if (opcode === 'looks_costume') {
            if (value?.opcode === 'data_variable') {
                return value.fields.VARIABLE;
            }
            if (isReporter(value)) {
                return value;
            }
        }
        return opcode === undefined ? value : menu(opcode, name, value);
    };
    const build = parts => (...values) => {
        const pattern = {};
        for (const part of parts) {
            if (part.slots === undefined) {
                pattern[part.key] = part.text;
                continue;
            }
            const section = pattern[part.key] = {};
            for (const {name, at, menu} of part.slots) {
                section[name] = argument(menu, name, values[at]);
            }
        }
        return pattern;
    };
    const parse = word => {
        if (word.startsWith('=')) {
            return {key: 'type', text: word.slice(1)};
        }
        const [key, slots] = word.split(':');
        if (slots === undefined) {
            return {key: 'opcode', text: word};
        }
        return {key, slots: slots.split(',').map(slot => {
            const [place, menu] = slot.split('@');
            const [name, at] = place.split('.');
            return {name, at: +at, menu};
        })};
    };
    const written = {...B};
    const all = {};
    for (const line of TABLE.trim().split('\n')) {
        const [name, ...words] = line.split(' ');
        all[name] = words[0] === '*' ? written[name] : build(words.map(parse));
    }

    const isScript = pattern => pattern instanceof Script;
    const isObject = value => value !== null && typeof value === 'object';

    /** Whether a value of a block, perhaps a block itself, matches a pattern. */
    const matchesValue = (value, pattern) => {
        if (typeof pattern === 'function') {
            return !!pattern(value);
        }
        if (pattern === ANYTHING) {
            return true;
        }
        const absent = value === undefined || value === null;
        if (pattern === NOTHING) {
            return absent;
        }
        if (Array.isArray(pattern)) {
            return pattern.some(choice => matchesValue(value, choice));
        }
        if (isScript(pattern)) {
            return (absent || value instanceof Node) && matchesScript(value, pattern);
        }
        if (absent || pattern === undefined || pattern === null) {
            return false;
        }
        if (isObject(pattern)) {
            return value instanceof Node && matchesBlock(value, pattern);
        }
        return !(value instanceof Node) &&
            NativeString(value).toLowerCase() === NativeString(pattern).toLowerCase();
    };
    const matchesNamed = (values, patterns) =>
        patterns === undefined || Object.keys(patterns).every(name => matchesValue(values[name], patterns[name]));
    const matchesBlock = (node, pattern) => {
        if (node.opcode !== pattern.opcode || !matchesNamed(node.inputs, pattern.inputs) ||
            !matchesNamed(node.fields, pattern.fields)) {
            return false;
        }
        if ('mutation' in pattern && !matchesValue(node.mutation, pattern.mutation)) {
            return false;
        }
        const list = pattern.argumentList;
        return list === undefined || node.arguments?.length === list.length &&
            list.every((item, at) => matchesValue(node.arguments[at], item));
    };
    const matchesScript = (node, pattern) => {
        let current = node;
        for (const item of pattern.blockPatterns) {
            if (!matchesValue(current, item)) {
                return false;
            }
            current = current?.next;
        }
        return true;
    };

    const asNode = value => {
        if (value !== null && value !== undefined && !(value instanceof Node)) {
            throw new Error(`Found non-Node: ${value}, expected Node.`);
        }
        return value;
    };
    kit.Script = Script;
    kit.script = script;
    kit.B = all;
    kit.isMatchOfAbsence = pattern => pattern === ANYTHING || pattern === NOTHING;
    kit.matchesNode = (node, pattern) => matchesValue(asNode(node), pattern);
    kit.matchesTree = (node, pattern) => {
        const refuse = item => {
            if (typeof item === 'function') {
                throw new Error('A function is not a pattern of a script.');
            }
            if (Array.isArray(item)) {
                item.forEach(refuse);
            }
        };
        refuse(pattern);
        return matchesValue(asNode(node), pattern);
    };
    all.nodeMatchesPattern = kit.matchesNode;
    all.subTreeMatchesStack = kit.matchesTree;
    all.subTreeMatchesScript = kit.matchesTree;
})
