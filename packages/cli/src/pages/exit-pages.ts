import type { EXIT } from '../failure.ts'
import type { ExplainPage } from './page.ts'

/** The exit codes; scripts may rely on them. */
export const EXIT_PAGES: Readonly<Record<(typeof EXIT)[keyof typeof EXIT], ExplainPage>> = {
  0: {
    means: 'The command did what it was asked for.',
    why: 'A server ends with it too, when it is told to stop.',
    fix: 'Nothing.',
    example: 'sdk build && sdk start',
  },
  1: {
    means: 'The command failed.',
    why: 'The message says why, and has a code that sdk explain knows. sdk doctor also ends with it where it finds an error.',
    fix: 'Do what the message says. With --json it is { "error": { "code", "message", "fix" } } on standard output.',
    example: 'sdk build --json | jq .error.code',
  },
  2: {
    means: 'There is no such command, option or argument.',
    why: 'A name is misspelt, or a value is missing: nothing was done.',
    fix: 'sdk --help lists the commands, sdk <command> --help its options.',
    example: 'sdk explain USAGE',
  },
  130: {
    means: 'The command was interrupted.',
    why: 'sdk run ends with it at the first Ctrl-C, a server at the second one, which does not wait.',
    fix: 'Nothing.',
    example: 'sdk explain INTERRUPTED',
  },
}
