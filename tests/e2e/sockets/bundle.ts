import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { PAGE } from './page.ts'

/** What we use of Vite, which is the command line's. */
interface Vite {
  build(config: object): Promise<{ output: readonly { type: string; code?: string }[] }>
}

const require = createRequire(import.meta.url)
const ENTRY = join(import.meta.dirname, 'page.tsx')

/** Bundles the page from the sources of our packages. Only React for development runs effects twice in StrictMode. */
export async function bundlePage(mode: 'development' | 'production'): Promise<string> {
  const { build } = await loadVite()
  const { output } = await build({
    configFile: false,
    logLevel: 'error',
    mode,
    root: import.meta.dirname,
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
    // Left to itself, Vite goes by the mode of the process, which is a test.
    oxc: { jsx: { runtime: 'automatic', development: false } },
    resolve: { conditions: ['@sdk/source', 'module', 'browser'] },
    plugins: [
      { name: 'page', enforce: 'pre', resolveId: findPage, load: (id: string) => (id === ENTRY ? PAGE : null) },
    ],
    build: { write: false, minify: mode === 'production', rolldownOptions: { input: ENTRY } },
  })
  const code = output.find(({ type }) => type === 'chunk')?.code ?? ''
  return `<!doctype html><title>Sockets</title><link rel="icon" href="data:,"><div id="root"></div>
<script type="module">${code.replaceAll('</script', String.raw`<\/script`)}</script>`
}

function findPage(id: string): string | null {
  return id === ENTRY ? ENTRY : null
}

async function loadVite(): Promise<Vite> {
  const ofCli = createRequire(require.resolve('@sdk/cli/package.json'))
  return import(pathToFileURL(ofCli.resolve('vite')).href) as Promise<Vite>
}
