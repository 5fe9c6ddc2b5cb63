import { gzipSync } from 'node:zlib'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin, type Rolldown } from 'vite'

/** What the scripts may weigh in kB, gzip: those that the first page loads, and all together. */
const BUDGET = { initial: 210, all: 330 }

/** Builds the UI into the package, so that nobody builds it at home. */
export default defineConfig({
  root: 'src/ui',
  base: '/_workbench/',
  plugins: [react(), weigh()],
  build: { outDir: '../../dist/ui', emptyOutDir: true, modulePreload: { polyfill: false }, assetsInlineLimit: 0 },
})

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

/** The entry, and what it imports without `import()`. */
function initialOf(chunks: readonly Rolldown.OutputChunk[]): Rolldown.OutputChunk[] {
  const names = new Set(chunks.filter(({ isEntry }) => isEntry).map(({ fileName }) => fileName))
  // A set goes on to what is added while it is gone through.
  for (const name of names) {
    for (const imported of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) names.add(imported)
  }
  return chunks.filter(({ fileName }) => names.has(fileName))
}

function weightOf(chunks: readonly Rolldown.OutputChunk[]): number {
  return Math.round(chunks.reduce((sum, { code }) => sum + gzipSync(code).length, 0) / 100) / 10
}
