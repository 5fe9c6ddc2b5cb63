import { execFileSync } from 'node:child_process'

/** The tests of `npm run check`: the rules of the repository, its reference, and fast unit tests. */
const FOLDERS = [
  'packages/create',
  'packages/frontend',
  'packages/protocol',
  'packages/server',
  'tests/architecture.test.ts',
  'tests/words.test.ts',
  'tests/docs/contents.test.ts',
  'tests/docs/internals.test.ts',
  'tests/docs/links.test.ts',
  'tests/docs/reference',
]

/** Slow files in these folders: they open real connections or start processes. */
const SLOW = [
  'packages/server/src/log/standard-output.test.ts',
  'packages/server/src/node/connections.test.ts',
  'packages/server/src/adapter/socket-drain.test.ts',
  'packages/server/src/node/socket-hostile.test.ts',
  'packages/server/src/node/socket-server.test.ts',
]

/** The vitest arguments that select them. */
export const QUICK_ARGUMENTS: readonly string[] = [
  ...['unit', 'suite', 'docs'].map((project) => `--project=${project}`),
  ...SLOW.map((file) => `--exclude=${file}`),
  ...FOLDERS,
]

/** Returns the test files that `npm run check` skips: folders with the number of their files, then individual files. */
export function listLeftOut(): string[] {
  const files = execFileSync('git', ['ls-files', '*.test.ts', '*.test.tsx'], { encoding: 'utf8' }).trim().split('\n')
  const isQuick = (file: string): boolean => FOLDERS.some((folder) => file.startsWith(folder))
  const counts = new Map<string, number>()
  for (const file of files.filter((one) => !isQuick(one))) {
    const name = file.split('/').slice(0, 2).join('/')
    counts.set(name, (counts.get(name) ?? 0) + 1)
  }
  return [...Array.from(counts, ([name, count]) => (count === 1 ? name : `${name} (${count} files)`)), ...SLOW]
}
