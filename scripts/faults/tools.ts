import type { Fault } from './fault.ts'

/** Faults of the workbench and of the commands. */
export const TOOL_FAULTS: readonly Fault[] = [
  {
    name: 'workbench: its cookie is readable by scripts',
    file: 'packages/workbench/src/guard.ts',
    from: '; HttpOnly; SameSite=Strict;',
    to: '; SameSite=Strict;',
    tests: ['packages/workbench/src/guard.test.ts'],
  },
  {
    name: 'workbench: recorded headers show the pass of the dev server',
    file: 'packages/workbench/src/recorder/redact.ts',
    from: "new Set(['x-sdk-pass'])",
    to: 'new Set([])',
    tests: ['packages/workbench/src/recorder/redact.test.ts'],
  },
  {
    name: 'cli: sdk start follows a link to a folder beside its own',
    file: 'packages/cli/src/start/static-files.ts',
    from: 'path.startsWith(root + sep)',
    to: 'path.startsWith(root)',
    tests: ['packages/cli/src/start/static-files.test.ts'],
  },
  {
    name: 'create: a project is written into a folder with files',
    file: 'packages/create/src/create-project.ts',
    from: 'if (found.length === 0) return',
    to: 'if (found.length >= 0) return',
    tests: ['packages/create/src/create-project.test.ts'],
  },
]
