import { readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { choose } from './tests/chaos/mode.ts'

// Tests read the sources of every package, so they need no build. Where there is one, tests across packages read what
// users read: it loads in a third of the time.
const nodeConditions = ['module', 'node', 'development|production']
const fromSource = resolveBy(['@sdk/source', ...nodeConditions])
// Node itself loads what is built; entries under `module` are for bundlers, and it cannot load all of them.
const fromBuild = resolveBy(nodeConditions.filter((condition) => condition !== 'module'))
const acrossPackages = process.env['SDK_TEST_BUILT'] ? fromBuild : fromSource

/** Load a project's own TypeScript with `testApp`, which vitest can only do for a package that it transforms itself. */
const FROM_SOURCE = ['tests/docs/**/*.test.ts', 'docs/site/**/*.test.ts', 'tests/e2e/testing.test.ts']

const BUILT = [/\/packages\/[^/]+\/dist\//]

function resolveBy(conditions: string[]) {
  return { resolve: { conditions }, ssr: { resolve: { conditions } } }
}

/**
 * Begins with the longest file, or one core would wait for it at the end, and keeps files together
 * that may share a process: vitest ends it as soon as the next file may not.
 */
class InGoodOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not that of arrays
    const sorted = await super.sort(files)
    const turns = new Map(sorted.map((file) => [file, ORDER.indexOf(turnOf(file))]))
    // -1 is a project that the order does not name.
    return [-1, ...ORDER.keys()].flatMap((turn) => sorted.filter((file) => turns.get(file) === turn))
  }
}

/** The longest files, then projects: those that wait the most first. Files for a browser have another environment. */
const ORDER = [
  'longest',
  'suite',
  'docs',
  'chaos',
  'endurance',
  'stores',
  'conformance',
  'unit',
  'fallback',
  'types',
  'browser',
]

function turnOf({ moduleId, project }: TestSpecification): string {
  if (/\/(?:e2e\/create|packed)\.test\.ts$/.test(moduleId)) return 'longest'
  return readFileSync(moduleId, 'utf8').includes('@vitest-environment') ? 'browser' : project.name
}

export default defineConfig({
  test: {
    globalSetup: ['packages/test-kit/src/global-setup.ts'],
    // Twice as many as there are cores, since half of the time is waiting: for browsers, servers and timers.
    maxWorkers: availableParallelism() * 2,
    sequence: { sequencer: InGoodOrder },
    // Files share a process, which saves loading the same modules again and again. So a test leaves nothing behind.
    isolate: false,
    // A busy machine takes its time: who waits for what comes loses nothing, and what never comes still fails.
    expect: { poll: { timeout: 15_000 } },
    // The machine that guards the main branch may be busier still: what fails there is tried once more, and named at the
    // end if it passes then.
    retry: process.env['CI'] ? 1 : 0,
    // The first to ask for a database waits until the server is made.
    testTimeout: 60_000,
    hookTimeout: 60_000,
    projects: [
      {
        extends: true,
        ...fromSource,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.{ts,tsx}'],
          setupFiles: ['tests/patience.ts', 'tests/cheap-passwords.ts'],
          // The embedded PostgreSQL is WebAssembly; to optimize it takes longer than these tests run.
          execArgv: ['--liftoff-only'],
          restoreMocks: true,
          unstubEnvs: true,
          unstubGlobals: true,
        },
      },
      {
        extends: true,
        ...acrossPackages,
        // Browsers, servers and package managers take their time on a busy machine.
        test: {
          name: 'suite',
          include: ['tests/**/*.test.ts'],
          exclude: ['tests/conformance/**', 'tests/endurance/**', 'tests/chaos/**', ...FROM_SOURCE],
          setupFiles: ['tests/cheap-passwords.ts'],
          execArgv: ['--liftoff-only'],
          server: { deps: { external: BUILT } },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        ...fromSource,
        test: {
          name: 'docs',
          include: FROM_SOURCE,
          execArgv: ['--liftoff-only'],
          // Otherwise `createAuth` keeps a secret for development in the working directory, which is the checkout.
          env: { AUTH_SECRET: 'only-for-these-tests-only-for-these-tests' },
          // By our conditions Node would take OpenTelemetry's files for bundlers, which it cannot load.
          server: { deps: { inline: ['ai'] } },
          testTimeout: 120_000,
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        ...fromSource,
        test: {
          name: 'conformance',
          include: ['tests/conformance/**/*.test.ts'],
          // One needs rows that outlive an app. The other hashes hundreds of passwords, which `stores` does.
          exclude: ['tests/conformance/resources/shared.test.ts', 'tests/conformance/auth/guessing.test.ts'],
          setupFiles: ['tests/cheap-passwords.ts'],
          execArgv: ['--liftoff-only'],
          env: { SDK_TEST_STORES: 'memory' },
        },
      },
      {
        extends: true,
        // The same of resources and auth, on databases: part of `npm test`, not of `npm run check`. Which files run on
        // which of them is in their stores.ts and ways.ts; all run on each in `npm run chaos`.
        ...fromSource,
        test: {
          name: 'stores',
          include: ['tests/conformance/{resources,auth}/*.test.ts'],
          // They ask nothing of a database that the others do not ask, and `conformance` runs them on the embedded one.
          exclude: choose([], ['tests/conformance/auth/{cookies,origins,paths,redirects}.test.ts']),
          setupFiles: ['tests/cheap-passwords.ts'],
          execArgv: ['--liftoff-only'],
          env: { SDK_TEST_STORES: 'databases' },
        },
      },
      {
        extends: true,
        ...acrossPackages,
        // Thousands of requests: part of `npm test`, not of `npm run check`; tens of thousands in `npm run chaos`.
        test: {
          name: 'endurance',
          include: ['tests/endurance/**/*.test.ts'],
          server: { deps: { external: BUILT } },
          hookTimeout: 120_000,
        },
      },
      {
        extends: true,
        ...acrossPackages,
        // Kills and cuts: a short run is part of `npm test`, the whole one is `npm run chaos`.
        test: {
          name: 'chaos',
          server: { deps: { external: BUILT } },
          include: ['tests/chaos/**/*.test.ts'],
          testTimeout: 300_000,
          hookTimeout: 300_000,
        },
      },
      {
        extends: true,
        ...fromSource,
        // The documented ways, which no Node takes by itself: as if undocumented members did not work.
        test: {
          name: 'fallback',
          include: [
            'packages/server/src/node/{node-internals,connections,serve,wire,ws-transport}.test.ts',
            'tests/conformance/http/{headers,representation}.test.ts',
          ],
          setupFiles: ['tests/patience.ts', 'tests/without-internals.ts'],
          // The server probes Node's members once per process.
          isolate: true,
          env: { SDK_TEST_FALLBACK: 'yes', SDK_TEST_STORES: 'memory' },
        },
      },
      {
        extends: true,
        ...fromSource,
        test: {
          name: 'types',
          include: [],
          typecheck: {
            enabled: true,
            only: true,
            include: ['{packages/*/src,tests}/**/*.test-d.ts'],
            tsconfig: 'tests/tsconfig.json',
          },
        },
      },
    ],
  },
})
