import { resolve } from 'node:path'
import { gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'

/** What the scripts may weigh in kB, gzip: those that the first page loads, and all together. */
const BUDGET = { initial: 210, all: 330 }

/** Where the UI is served. */
const BASE = '/_workbench/'

/** The file of all that the first page needs. */
const FIRST = 'first'

/** Builds the UI into the package, so that nobody builds it at home. */
export default defineConfig({
  root: 'src/ui',
  base: BASE,
  plugins: [react(), preloadFonts(), weigh()],
  build: {
    outDir: '../../dist/ui',
    emptyOutDir: true,
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    // What the first page needs is one file, also where others need it: one request, not twenty.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: firstOf(), debugName: FIRST }] } } },
  },
})

/** Names the file of a module: the first where `main.tsx` needs it without `import()`, none of our choice elsewhere. */
function firstOf(): (id: string, graph: Rolldown.ChunkingContext) => string | null {
  let first: Set<string> | undefined
  return (id, graph) => {
    first ??= reachableFrom(resolve('src/ui/main.tsx'), graph)
    return first.has(id) ? FIRST : null
  }
}

function reachableFrom(entry: string, graph: Rolldown.ChunkingContext): Set<string> {
  const found = new Set([entry])
  // A set goes on to what is added while it is gone through.
  for (const id of found) for (const imported of graph.getModuleInfo(id)?.importedIds ?? []) found.add(imported)
  return found
}

/** Asks for the fonts with the scripts: the first text waits for them. */
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

/** Says what the scripts weigh, and fails the build where that is too much. */
function weigh(): Plugin {
  return {
    name: 'weigh',
    writeBundle(_, bundle) {
      const chunks = Object.values(bundle).filter((file) => file.type === 'chunk')
      const weight = { initial: weightOf(initialOf(chunks)), all: weightOf(chunks) }
      process.stdout.write(`  ui scripts: ${weight.initial} kB at first, ${weight.all} kB in all (gzip)\n`)
      for (const name of ['initial', 'all'] as const) {
        if (weight[name] > BUDGET[name])
          this.error(`the ${name} scripts weigh ${weight[name]} kB, more than ${BUDGET[name]}`)
      }
    },
  }
}

/** The first file, and what it imports without `import()`. */
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
