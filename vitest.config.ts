import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

// Tests read the sources of every package, so they need no build.
const conditions = ['@sdk/source', 'module', 'node', 'development|production']

/** Starts the longest file first, or one core would wait for it at the end. */
class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLongest = ({ moduleId }: TestSpecification): boolean => moduleId.endsWith('/packed.test.ts')
    // oxlint-disable-next-line unicorn/no-array-sort -- not that of arrays
    const sorted = await super.sort(files)
    return [...sorted.filter(isLongest), ...sorted.filter((file) => !isLongest(file))]
  }
}

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    globalSetup: ['packages/test-kit/src/global-setup.ts'],
    maxWorkers: '100%',
    sequence: { sequencer: LongestFirst },
    // The first to ask for a database waits until the server is made.
    testTimeout: 20_000,
    hookTimeout: 30_000,
    projects: [
      {
        extends: true,
        test: {
          name: 'unit',
          include: ['packages/*/src/**/*.test.{ts,tsx}'],
          // Files share a process, which saves loading the same modules again and again. So a test leaves
          // nothing behind; for what it replaced, we see to that.
          isolate: false,
          // The embedded PostgreSQL is WebAssembly; to optimize it takes longer than these tests run.
          execArgv: ['--liftoff-only'],
          restoreMocks: true,
          unstubEnvs: true,
          unstubGlobals: true,
        },
      },
      {
        extends: true,
        test: { name: 'suite', include: ['tests/**/*.test.ts'] },
      },
      {
        extends: true,
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
