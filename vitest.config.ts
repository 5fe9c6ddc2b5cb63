import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { choose } from './tests/chaos/mode.ts'

// Tests resolve packages to their sources, so they do not need a build. If `SDK_TEST_BUILT` is set, tests across
// packages use the build instead, as users do. It loads in a third of the time.
const nodeConditions = ['module', 'node', 'development|production']
const fromSource = resolveBy(['@sdk/source', ...nodeConditions])
// Node loads the build directly. The `module` condition is for bundlers, and Node cannot load all of its entries.
const fromBuild = resolveBy(nodeConditions.filter((condition) => condition !== 'module'))
const acrossPackages = process.env['SDK_TEST_BUILT'] ? fromBuild : fromSource

/** Tests that load a project's TypeScript with `testApp`. Vitest supports this only for packages that it transforms. */
const FROM_SOURCE = [
  'tests/docs/**/*.test.ts',
  'tests/durable-agents.test.ts',
  'docs/site/**/*.test.ts',
  'tests/e2e/testing.test.ts',
  'tests/e2e/recorded-models.test.ts',
  'tests/conformance/spec.test.ts',
]

/** The first needs rows that outlive an app. The second hashes hundreds of passwords. */
const ONLY_IN_STORES = ['tests/conformance/resources/shared.test.ts', 'tests/conformance/auth/guessing.test.ts']

/**
 * Better Auth records the errors of Drizzle, which contain the parameters of a query, in its own spans. Here it loads
 * another copy of OpenTelemetry than this test, which therefore reads only our spans.
 */
const OWN_SPANS = 'tests/conformance/auth/secrets.test.ts'

/**
 * These use no other features of a database than the rest, or reject requests before they use one. `suite` runs them
 * on the store in memory and on the embedded database.
 */
const NOT_IN_DATABASES = [
  'tests/conformance/auth/{bodies,cookies,origins,paths,redirects,tokens,user-passwords}.test.ts',
  'tests/conformance/resources/{conditional,definitions,errors,methods,order,urls}.test.ts',
]

/** Restarts an app ten times. The other tests of the workbench restart one once, and create.test.ts opens a new app. */
const ONLY_IN_CHAOS = 'tests/e2e/workbench-new-app.test.ts'

/** These install workerd. `npm run matrix` runs them. */
const ONLY_IN_MATRIX = process.env['SDK_TEST_RUNTIMES']?.includes('workerd') ? [] : ['tests/runtimes/workerd/**']

/** Returns the test files that have a longer version, or kill and attack servers. `npm run chaos` runs only these. */
function listLongTests(): string[] {
  const files = readdirSync(join(import.meta.dirname, 'tests'), { recursive: true, encoding: 'utf8' })
  const isLong = (file: string): boolean =>
    /^tests\/(?:chaos|endurance)\//.test(file) ||
    readFileSync(join(import.meta.dirname, file), 'utf8').includes('/chaos/mode.ts')
  return files
    .filter((file) => file.endsWith('.test.ts'))
    .map((file) => `tests/${file}`)
    .filter(isLong)
}

/** Returns the unit tests that use one kind of database here. `npm run chaos` runs only these, on all kinds. */
function listOneKindTests(): string[] {
  return readdirSync(join(import.meta.dirname, 'packages'), { recursive: true, encoding: 'utf8' })
    .filter((file) => /^[^/]+\/src\/.*\.test\.ts$/.test(file))
    .map((file) => `packages/${file}`)
    .filter((file) => readFileSync(join(import.meta.dirname, file), 'utf8').includes('ONE_KIND'))
}

/** Loads a file into all child processes that reduces their CPU time. */
const CHEAP_CHILDREN = { NODE_OPTIONS: `--require "${join(import.meta.dirname, 'tests/child-process.cjs')}"` }

/**
 * Flags of V8 that save a third of the CPU time of the tests. Most code runs only a few times, so compiling and optimizing
 * it takes longer than running it: the embedded PostgreSQL, which is WebAssembly, is not optimized at all, and on Node 20,
 * functions only after nine times as much work as by default. With more memory, garbage is collected less often.
 */
const WORKER_FLAGS = [
  '--liftoff-only',
  '--max-lazy',
  ...(process.version.startsWith('v20.') ? ['--interrupt-budget=600000'] : []),
  '--min-semi-space-size=16',
  '--max-semi-space-size=32',
  '--initial-old-space-size=512',
]

const BUILT = [/\/packages\/[^/]+\/dist\//]

function resolveBy(conditions: string[]) {
  return { resolve: { conditions }, ssr: { resolve: { conditions } } }
}

/**
 * Runs the longest files first, so that no core is idle at the end. Keeps files that can share a process together,
 * since vitest ends a process as soon as the next file cannot use it.
 */
class InGoodOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- not an array method
    const sorted = await super.sort(files)
    const turns = new Map(sorted.map((file) => [file, ORDER.indexOf(turnOf(file))]))
    // -1 stands for projects that are not in `ORDER`.
    return [-1, ...ORDER.keys()].flatMap((turn) => sorted.filter((file) => turns.get(file) === turn))
  }
}

/**
 * The longest files, then the projects and three folders of `suite`, those with the most waiting first. Browser files
 * use another environment.
 */
const ORDER = [
  'longest',
  'suite',
  'chaos',
  'endurance',
  'conformance',
  'docs',
  'stores',
  'unit',
  'fallback',
  'types',
  'browser',
]

function turnOf({ moduleId, project }: TestSpecification): string {
  if (/\/(?:e2e\/create|packed)\.test\.ts$/.test(moduleId)) return 'longest'
  const [, folder] = /\/tests\/(chaos|endurance|conformance)\//.exec(moduleId) ?? []
  if (folder !== undefined && project.name === 'suite') return folder
  return readFileSync(moduleId, 'utf8').includes('@vitest-environment') ? 'browser' : project.name
}

export default defineConfig({
  test: {
    globalSetup: ['packages/test-kit/src/global-setup.ts'],
    // Two workers per core, since tests wait for browsers, servers and timers half of the time.
    maxWorkers: availableParallelism() * 2,
    sequence: { sequencer: InGoodOrder },
    // Files share a process, so that modules are loaded only once. Tests must therefore clean up after themselves.
    isolate: false,
    // A long timeout for busy machines. It does not slow down assertions that pass, and the others still fail.
    expect: { poll: { timeout: 60_000 } },
    // CI machines may be even busier, so failed tests are retried once. The summary lists tests that pass only then.
    retry: process.env['CI'] ? 1 : 0,
    // Browsers, servers and package managers need minutes of a very busy machine, and chaos takes minutes in full.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      {
        extends: true,
        ...fromSource,
        test: {
          name: 'unit',
          include: choose(listOneKindTests, () => ['packages/*/src/**/*.test.{ts,tsx}'])(),
          setupFiles: ['tests/before-each-file.ts', 'tests/cheap-passwords.ts'],
          execArgv: WORKER_FLAGS,
          restoreMocks: true,
          unstubEnvs: true,
          unstubGlobals: true,
        },
      },
      {
        extends: true,
        ...acrossPackages,
        // One project, since each project starts its own processes. Files in `chaos` kill processes and cut
        // connections, files in `endurance` send thousands of requests. Both are short here; `npm run chaos` runs them
        // in full. Files in `conformance` use stores in memory and the embedded database here, and other databases in
        // `stores`.
        test: {
          name: 'suite',
          include: choose(listLongTests, () => ['tests/**/*.test.ts'])(),
          exclude: [
            ...choose(['tests/conformance/**'], [...ONLY_IN_STORES, ONLY_IN_CHAOS]),
            ...FROM_SOURCE,
            ...ONLY_IN_MATRIX,
          ],
          setupFiles: ['tests/cheap-passwords.ts'],
          execArgv: WORKER_FLAGS,
          env: CHEAP_CHILDREN,
          server: { deps: { external: BUILT } },
        },
      },
      {
        extends: true,
        ...fromSource,
        test: {
          name: 'docs',
          include: [...FROM_SOURCE, OWN_SPANS],
          setupFiles: ['tests/cheap-passwords.ts'],
          execArgv: WORKER_FLAGS,
          // Otherwise `createAuth` would store a development secret in the working directory, which is the checkout.
          env: {
            ...CHEAP_CHILDREN,
            AUTH_SECRET: 'only-for-these-tests-only-for-these-tests',
            SDK_TEST_STORES: 'databases',
          },
          // With our conditions, Node would resolve OpenTelemetry to its files for bundlers, which it cannot load.
          server: { deps: { inline: ['ai'] } },
        },
      },
      {
        extends: true,
        // The conformance tests of resources and auth on databases. Part of `npm test`, but not of `npm run check`.
        // Their stores.ts and ways.ts select the databases for each file; `npm run chaos` runs all files on all.
        ...acrossPackages,
        test: {
          name: 'stores',
          include: ['tests/conformance/{resources,auth}/*.test.ts'],
          exclude: choose([], [OWN_SPANS, ...NOT_IN_DATABASES]),
          setupFiles: ['tests/cheap-passwords.ts'],
          execArgv: WORKER_FLAGS,
          server: { deps: { external: BUILT } },
          env: { SDK_TEST_STORES: 'databases' },
        },
      },
      {
        extends: true,
        ...fromSource,
        // Tests the fallback to Node's documented API, which is used only if undocumented members do not work.
        test: {
          name: 'fallback',
          include: [
            'packages/server/src/node/{node-internals,connections,serve,wire,ws-transport}.test.ts',
            'tests/conformance/http/{headers,representation}.test.ts',
          ],
          setupFiles: ['tests/before-each-file.ts', 'tests/without-internals.ts'],
          execArgv: WORKER_FLAGS,
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
            tsconfig: 'tests/tsconfig.types.json',
          },
        },
      },
    ],
  },
})
