//! Wrong study files.

/// A study without an error.
pub(super) const STUDY: &str = r#"name = "base"
projects = ["game.sb3"]
algorithms = [
    "random",
    { label = "small", name = "mosa", parameters = { population = 10 } },
]
seeds = 5

[budget]
executions = 30

[mutation]
operators = ["SBD"]
sample = 5
"#;

/// Text of the study, the replacement of the text, the line and the beginning of the error, and
/// words of the hint.
pub(super) const STUDIES: &[(&str, &str, &str, &str)] = &[
    // Keys.
    ("seeds = 5", "sedes = 5", "7: sedes: unknown key", "write `seeds`"),
    ("seeds = 5", "Seeds = 5", "7: Seeds: unknown key", "write `seeds`"),
    ("projects =", "project =", "2: project: unknown key", "write `projects`"),
    ("algorithms =", "algorithm =", "3: algorithm: unknown key", "write `algorithms`"),
    ("[budget]", "[budgets]", "9: budgets: unknown key", "write `budget`"),
    ("name = \"base\"", "title = \"base\"", "1: title: unknown key", "use one of name, subject"),
    ("sample = 5", "sampel = 5", "14: mutation.sampel: unknown key", "write `sample`"),
    ("label = \"small\"", "lable = \"small\"", "5: algorithms.lable: unknown key", "write `label`"),
    ("parameters = {", "params = {", "5: algorithms.params: unknown key", "write `parameters`"),
    (
        "seeds = 5",
        "seeds = 5\nrace = { levle = 0.1 }",
        "8: race.levle: unknown key",
        "write `level`",
    ),
    (
        "[\"game.sb3\"]",
        "{ synthetic = { cuont = 3, seed = 1 } }",
        "2: projects.synthetic.cuont: unknown key",
        "write `count`",
    ),
    // Keys in the wrong table.
    (
        "seeds = 5\n\n[budget]\n",
        "\n[budget]\nseeds = 5\n",
        "9: seeds: is in the table `budget`, which begins on line 8",
        "move it above line 8",
    ),
    (
        "executions = 30\n",
        "executions = 30\nassertions = true\n",
        "11: assertions: is in the table `budget`, which begins on line 9",
        "move it above line 9",
    ),
    (
        "sample = 5",
        "executions = 5",
        "14: mutation.executions: unknown key",
        "it belongs in [budget]",
    ),
    (
        "seeds = 5",
        "seeds = 5\nexecutions = 5",
        "8: executions: unknown key",
        "it belongs in [budget]",
    ),
    (
        "seeds = 5",
        "seeds = 5\noperators = ['SBD']",
        "8: operators: unknown key",
        "it belongs in [mutation]",
    ),
    (
        "parameters = { population = 10 }",
        "population = 10",
        "5: algorithms.population: unknown key",
        "belongs in parameters = { population = ... }",
    ),
    (
        "parameters = { population = 10 }",
        "seeds = 3",
        "5: algorithms.seeds: unknown key",
        "at the top of the file",
    ),
    (
        "seeds = 5",
        "seeds = 5\n[scratch]\nassertions = true",
        "8: scratch: unknown key",
        "subject = \"scratch\"",
    ),
    // Names.
    ("\"random\"", "\"randon\"", "4: algorithms: unknown algorithm `randon`", "write `random`"),
    ("\"random\"", "\"moi\"", "4: algorithms: unknown algorithm `moi`", "write `mio`"),
    ("\"random\"", "\"exlpore\"", "4: algorithms: unknown algorithm `exlpore`", "write `explore`"),
    ("\"random\"", "\"tabu\"", "4: algorithms: unknown algorithm `tabu`", "newsd-neatest"),
    ("\"mosa\"", "\"mossa\"", "5: algorithms: unknown algorithm `mossa`", "write `mosa`"),
    (
        "population = 10",
        "popluation = 10",
        "5: algorithms.parameters.popluation: algorithm `small`: unknown parameter `popluation`",
        "write `population`",
    ),
    (
        "population = 10",
        "maxEvents = 10",
        "5: algorithms.parameters.maxEvents: algorithm `small`: unknown parameter `maxEvents`",
        "write `max_events`",
    ),
    (
        "population = 10",
        "assertion = true",
        "5: algorithms.parameters.assertion: algorithm `small`: unknown parameter `assertion`",
        "write `assertions`",
    ),
    (
        "\"SBD\"",
        "\"SBT\"",
        "13: mutation.operators: unknown mutation operator `SBT`",
        "write `SBD`",
    ),
    (
        "seeds = 5",
        "seeds = 5\nsubject = \"scrach\"",
        "8: subject: unknown subject kind `scrach`",
        "write `scratch`",
    ),
    (
        "seeds = 5",
        "seeds = 5\nsubject = \"python\"",
        "8: subject: unknown subject kind `python`",
        "use one of scratch",
    ),
    ("game.sb3", "gmae.sb3", "2: projects: gmae.sb3: no such file or folder", "there is game.sb3"),
    (
        "game.sb3",
        "nothing",
        "2: projects: nothing: no such file or folder",
        "name files or folders of projects",
    ),
    (
        "executions = 30",
        "excutions = 30",
        "10: budget.excutions: subject kind `scratch` does not count `excutions`",
        "set executions",
    ),
    (
        "executions = 30",
        "generations = 30",
        "10: budget.generations: subject kind `scratch` does not count `generations`",
        "set executions or steps or wall",
    ),
    // Values.
    ("seeds = 5", "seeds = 0", "7: seeds: 0 is too small", "at least 1"),
    ("seeds = 5", "seeds = -1", "7: seeds: -1 is negative", "at least 1"),
    ("seeds = 5", "seeds = 1.5", "7: seeds: a number is neither", "give the number of seeds"),
    (
        "seeds = 5",
        "seeds = \"5\"",
        "7: seeds: a string is neither a number nor a list",
        "give the number of seeds",
    ),
    ("seeds = 5", "seeds = [1, 1]", "7: seeds: seed 1 is given twice", "each seed once"),
    ("seeds = 5", "seeds = []", "7: seeds: no seeds", "at least one seed"),
    ("seeds = 5", "seeds = 2000000", "7: seeds: 2000000 seeds are more", "at most 1000000"),
    ("executions = 30", "executions = 0", "10: budget.executions: 0 is too small", "at least 1"),
    (
        "executions = 30",
        "executions = \"many\"",
        "10: budget.executions: `many` is not a whole number",
        "at least 1",
    ),
    ("executions = 30", "wall = 10", "10: budget.wall: `10` has no unit", "\"10s\""),
    (
        "executions = 30",
        "wall = \"10 sec\"",
        "10: budget.wall: `sec` is not a unit of time",
        "write \"10s\": the units are ms, s, min or h",
    ),
    ("executions = 30", "wall = \"5m\"", "10: budget.wall: `m` is not a unit", "write \"5min\""),
    ("executions = 30", "wall = \"2 days\"", "10: budget.wall: `days` is not", "write \"48h\""),
    ("executions = 30", "wall = \"1.5HR\"", "10: budget.wall: `HR` is not", "write \"1.5h\""),
    ("executions = 30", "wall = \"-1s\"", "10: budget.wall: `-1s` is negative", "ms, s, min or h"),
    ("executions = 30", "", "9: budget: no limit is set", "set a unit of work"),
    (
        "population = 10",
        "population = 2.5",
        "5: algorithms.parameters.population: algorithm `small`: parameter `population` is 2.5",
        "give a whole number from",
    ),
    (
        "population = 10",
        "population = \"ten\"",
        "5: algorithms.parameters.population: algorithm `small`: parameter `population` is `ten`",
        "give a whole number from",
    ),
    (
        "population = 10",
        "crossover = 7",
        "5: algorithms.parameters.crossover: algorithm `small`: parameter `crossover` is 7",
        "give a number from 0 to 1",
    ),
    (
        "mosa\", parameters = { population = 10",
        "newsd-neatest\", parameters = { population = 0",
        "5: algorithms.parameters.population: algorithm `small`: parameter `population` is 0",
        "give a whole number from 4 to 10000",
    ),
    (
        "mosa\", parameters = { population = 10",
        "newsd-neatest\", parameters = { population = 999999999",
        "5: algorithms.parameters.population: algorithm `small`: parameter `population` is 999999999",
        "give a whole number from 4 to 10000",
    ),
    (
        "mosa\", parameters = { population = 10",
        "newsd-neatest\", parameters = { generations = -1",
        "5: algorithms.parameters.generations: algorithm `small`: unknown parameter `generations`",
        "network_steps, population",
    ),
    (
        "population = 10",
        "extraction = \"dynamc\"",
        "5: algorithms.parameters.extraction: algorithm `small`: parameter `extraction` is `dynamc`",
        "write `dynamic`",
    ),
    (
        "population = 10",
        "min_events = 9, max_events = 3",
        "5: algorithms.parameters.min_events: algorithm `small`: min_events is 9, but max_events is 3",
        "raise max_events",
    ),
    (
        "population = 10",
        "population = []",
        "5: algorithms.parameters.population: no values",
        "at least one value",
    ),
    (
        "label = \"small\"",
        "label = \"random\"",
        "5: algorithms: the label `random` is given twice",
        "its own label",
    ),
    (
        "{ label = \"small\", name = \"mosa\", parameters = { population = 10 } }",
        "{ label = \"again\", name = \"random\" }",
        "5: algorithms: `again` is the same configuration as `random`",
        "drop one",
    ),
    ("name = \"mosa\", ", "", "5: algorithms.name: missing", "add name"),
    ("[\"game.sb3\"]", "[]", "2: projects: no projects", "list files or folders"),
    (
        "[\"game.sb3\"]",
        "\"game.sb3\"",
        "2: projects: a string is not a list",
        "write [\"game.sb3\"]",
    ),
    (
        "[\"game.sb3\"]",
        "{ synthetic = { count = 3 } }",
        "2: projects.synthetic.seed: missing",
        "count = 1000, seed = 1",
    ),
    ("sample = 5", "sample = 0", "14: mutation.sample: 0 is too small", "at least 1"),
    (
        "seeds = 5",
        "seeds = 5\nrace = { level = 5 }",
        "8: race.level: `5` is not between 0 and 1",
        "a number such as 0.05",
    ),
    (
        "seeds = 5",
        "seeds = 5\nassertions = 1",
        "8: assertions: a number is neither true nor false",
        "true or false",
    ),
    // Values of another form, and names of other kinds.
    ("seeds = 5", "seeds = [-3, 4]", "7: seeds: `-3` is not a seed", "whole numbers"),
    ("[\"game.sb3\"]", "[\"games/*\"]", "2: projects: games/*: no such", "name the folder"),
    ("[\"game.sb3\"]", "[\"~/game\"]", "2: projects: ~/game: no such", "the whole path"),
    ("[\"game.sb3\"]", "[\"https://a.org/1\"]", "2: projects: https://", "nothing is fetched"),
    (
        "\"random\"",
        "\"flycatcher\"",
        "4: algorithms: unknown algorithm",
        "subject = \"javascript\"",
    ),
    ("\"random\"", "\"best-of\"", "4: algorithms: unknown algorithm", "subject = \"sequences\""),
    ("\"random\"", "\"MIO\"", "4: algorithms: unknown algorithm `MIO`", "write `mio`"),
    (
        "population = 10",
        "population = { grid = [1, 2] }",
        "5: algorithms.parameters.population.grid: algorithm",
        "write population = VALUE, or population = [VALUE, VALUE]",
    ),
    ("population = 10", "population = nan", "5: algorithms.parameters.population: nan", "ordinary"),
    ("executions = 30", "time = \"5s\"", "10: budget.time: `5s` is a time", "write wall = \"5s\""),
    (
        "executions = 30",
        "wall = \"500000h\"",
        "10: budget.wall: `500000h` is longer than a year",
        "8784h",
    ),
    (
        "executions = 30",
        "executions = 99999999999999999999",
        "10: budget.executions: 99999999999999999999 is too large",
        "give at most 9223372036854775807",
    ),
    // TOML.
    ("seeds = 5", "seeds = 5\nseeds = 6", "8: syntax: duplicate key `seeds`", "correct the TOML"),
    ("seeds = 5", "seeds = ", "7: syntax: ", "correct the TOML"),
    ("\"random\",", "\"random,", "5: syntax: ", "correct the TOML"),
];
