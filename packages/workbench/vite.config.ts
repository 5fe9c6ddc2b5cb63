import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'

/** The size budget of the scripts in kB, gzipped: those that the first page loads, and all together. */
const BUDGET = { initial: 130, all: 340 }

/** The base path of the UI. */
const BASE = '/_workbench/'

/** The name of the file with everything that the first page needs. */
const FIRST = 'first'

/** The modules that several pages may share. */
const SHARED = /src\/ui\/(?:components|conversation|durable|errors|input|run|runner|runs)\/|lucide-react/

/** The pages that are small, and compress better in one file than in one for each. */
const SMALL = /src\/ui\/(?:errors|live|routes|settings|tools|users)\//

/** Builds the UI into the package, so that users do not have to build it. */
export default defineConfig({
  root: 'src/ui',
  base: BASE,
  plugins: [react(), preloadFonts(), weigh()],
  build: {
    outDir: '../../dist/ui',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // One file for everything that the first page needs, even if other pages share it: one request instead of twenty.
    // One more for what several other pages share, which compresses better than a file for each combination.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: firstOf(), debugName: FIRST, priority: 2 },
            { name: 'shared', test: SHARED, minShareCount: 2, priority: 1 },
            { name: 'pages', test: SMALL },
          ],
        },
      },
    },
  },
})

/** Returns the file of a module: `first` if `main.tsx` imports it statically, otherwise null for the default. */
function firstOf(): (id: string, graph: Rolldown.ChunkingContext) => string | null {
  let first: Set<string> | undefined
  return (id, graph) => {
    first ??= reachableFrom(resolve('src/ui/main.tsx'), graph)
    return first.has(id) ? FIRST : null
  }
}

function reachableFrom(entry: string, graph: Rolldown.ChunkingContext): Set<string> {
  const found = new Set([entry])
  // Iterating over a set includes the entries added meanwhile.
  for (const id of found) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) found.add(imported)
  return found
}

/** Preloads the fonts with the scripts, since the first text waits for them. */
function preloadFonts(): Plugin {
  return {
    name: 'preload-fonts',
    transformIndexHtml(_, { bundle = {} }) {
      const fonts = Object.keys(bundle).filter((file) => file.endsWith('.woff2'))
      return fonts.map((file) => ({
        tag: 'link',
        attrs: { rel: 'preload', as: 'font', type: 'font/woff2', href: `${BASE}${file}`, crossorigin: true },
        injectTo: 'head',
      }))
    },
  }
}

/** Reports the size of the scripts, and fails the build above the budget. */
function weigh(): Plugin {
  return {
    name: 'weigh',
    writeBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const weight = { initial: weightOf(initialOf(chunks)), all: weightOf(chunks) }
      process.stdout.write(`  UI scripts: ${weight.initial} kB initial, ${weight.all} kB total (gzip)\n`)
      for (const name of ['initial', 'all'] as const) {
        if (weight[name] > BUDGET[name])
          this.error(`the ${name} scripts have ${weight[name]} kB, more than the budget of ${BUDGET[name]} kB`)
      }
    },
  }
}

/** Returns the first file and its static imports. */
function initialOf(chunks: readonly Rolldown.OutputChunk[]): Rolldown.OutputChunk[] {
  const names = new Set(chunks.filter(({ name }) => name === FIRST).map(({ fileName }) => fileName))
  for (const name of names) {
    for (const imported of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) names.add(imported)
  }
  return chunks.filter(({ fileName }) => names.has(fileName))
}

function weightOf(chunks: readonly Rolldown.OutputChunk[]): number {
  return Math.round(chunks.reduce((sum, { code }) => sum + gzipSync(code).length, 0) / 100) / 10
}
