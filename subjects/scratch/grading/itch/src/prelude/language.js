// Messages in the language of the judgement.
(function (kit) {
    'use strict';
    const BUILT_IN = {
        nl: {predefined: {
            existing_code: 'Controle op bestaande code',
            no_changes: 'De bestaande code is niet gewijzigd.',
            deleted: {
                name: 'Bestaande sprite',
                correct: 'Top, de sprite {0} is niet verwijderd.',
                wrong: 'Oei, je verwijderde de sprite {0}. Je zal opnieuw moeten beginnen.',
            },
            existing: {
                name: 'Controle op bestaande code',
                correct_block: 'Top! Je hebt niets veranderd aan de blokjes van sprite {0}.',
                wrong_block: 'Oops, je hebt iets veranderd aan de blokjes van sprite {0}. Je gaat opnieuw moeten beginnen.',
            },
            allowed: {
                name: 'Toegelaten blokjes',
                correct: 'Goed zo! Je gebruikt alleen toegelaten blokjes.',
                wrong: 'Je gebruikt blokjes die niet toegelaten zijn.',
            },
            around: {
                name: 'Rondsligerende blokjes',
                correct: 'Goed zo! Je hebt geen losse blokjes laten rondslingeren.',
                wrong: 'Er slingeren nog losse blokjes rond. Verwijder ze.',
            },
        }},
        en: {predefined: {
            existing_code: 'Verification of existing code',
            no_changes: "You didn't make changes to the existing blocks",
            deleted: {
                name: 'Existing sprite',
                correct: "Good job! You didn't remove sprite {0}.",
                wrong: "Oh no, you removed sprite {0}. You'll need to start again.",
            },
            existing: {
                name: 'Checks on existing code',
                correct_block: "Good job! You didn't change the blocks of sprite {0}.",
                wrong_block: 'You changed the blocks of sprite {0}. Start again.',
            },
            allowed: {
                name: 'Allowed blocks',
                correct: "Good job! You don't use any disallowed blocks.",
                wrong: 'You use blocks that are not allowed.',
            },
            around: {
                name: 'Unnecessary blocks',
                correct: 'Good job! There were no unnecessary blocks lying around.',
                wrong: 'There are unnecessary blocks lying around. Remove them.',
            },
        }},
    };

    const merged = language => {
        const own = kit.options.translations?.[language] ?? {};
        const table = {...own, predefined: {...BUILT_IN[language].predefined}};
        for (const key of Object.keys(own.predefined ?? {})) {
            table.predefined[key] = own.predefined[key];
        }
        return table;
    };
    const table = merged(kit.options.language);

    /** Replaces each `{n}` by the value with this number. */
    const format = (source, ...values) => {
        if (typeof source?.replace !== 'function') {
            throw new TypeError('source.replace is not a function');
        }
        return source.replace(/{{|}}|{(\d+)}/g, (all, number) => {
            if (number === undefined) {
                return all[0];
            }
            if (+number >= values.length) {
                throw new Error('You have not provided enough formatting values. ' +
                    `Expected at least ${number}, got ${values.length}`);
            }
            return values[+number];
        });
    };
    const find = key => {
        if (Object.hasOwn(table, key)) {
            return table[key];
        }
        let found = table;
        for (const part of key.split('.')) {
            if (found === null || typeof found !== 'object' || !Object.hasOwn(found, part)) {
                return key;
            }
            found = found[part];
        }
        return found;
    };
    kit.format = format;
    kit.t = (key, ...values) => format(find(String(key)), ...values);
})
