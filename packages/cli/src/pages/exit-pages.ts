import type { EXIT } from '../failure.ts'
import type { ExplainPage } from './page.ts'

/** Pages for the exit codes. Scripts may rely on these codes. */
export const EXIT_PAGES: Readonly<Record<(typeof EXIT)[keyof typeof EXIT], ExplainPage>> = {
  0: {
    means: 'The command succeeded.',
    why: 'A server also exits with 0 when it is stopped normally.',
    fix: 'No action needed.',
    example: 'sdk build && sdk start',
  },
  1: {
    means: 'The command failed.',
    why: 'The message contains the reason and a code for sdk explain. sdk doctor also exits with 1 if it finds an error.',
    fix: 'Apply the fix from the message. With --json, the command prints { "error": { "code", "message", "fix" } } to standard output.',
    example: 'sdk build --json | jq .error.code',
  },
  2: {
    means: 'The command, an option or an argument is missing or invalid.',
    why: 'A name is misspelled, or a value is missing. Nothing was executed.',
    fix: 'Run sdk --help for a list of commands, or sdk <command> --help for the options of a command.',
    example: 'sdk explain USAGE',
  },
  3: {
    means: 'The database differs from the schemas.',
    why: 'sdk migrate --check and sdk start --check exit with 3 if changes are pending. Without --check, the exit code is 0.',
    fix: 'Run sdk migrate to see the changes. sdk start applies the changes that are marked as automatic in the JSON output of sdk migrate.',
    example: 'sdk migrate --check || echo "migrate first"',
  },
  130: {
    means: 'The command was interrupted.',
    why: 'sdk run exits with 130 on the first Ctrl-C. A server exits with 130 on the second Ctrl-C, without waiting for open requests.',
    fix: 'No action needed.',
    example: 'sdk explain INTERRUPTED',
  },
}
