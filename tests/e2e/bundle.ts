import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/** What to bundle. */
export interface BundleOptions {
  /** Its modules by file name; the first is where it begins. */
  files: Readonly<Record<string, string>>
  /** Only React for development runs effects twice in StrictMode. */
  mode: 'development' | 'production'
  /** Where it runs. @default 'browser' */
  platform?: 'browser' | 'node'
  /** The `node_modules` with another React. @default the workspace's */
  react?: string | undefined
  /** Where a module is that the workspace itself has not. @default nowhere */
  alias?: Readonly<Record<string, string>>
}

/** What we use of Vite, which is the command line's. */
interface Vite {
  build(config: object): Promise<{ output: readonly { type: string; code?: string }[] }>
}

const require = createRequire(import.meta.url)

/** Bundles modules with the sources of our packages into one. */
export async function bundle({ files, mode, platform = 'browser', react, alias }: BundleOptions): Promise<string> {
  const { build } = await loadVite()
  const conditions = ['@sdk/source', 'module', platform]
  const sources = new Map(Object.entries(files).map(([name, source]) => [join(import.meta.dirname, name), source]))
  const { output } = await build({
    configFile: false,
    logLevel: 'error',
    mode,
    root: import.meta.dirname,
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
    // Left to itself, Vite goes by the mode of the process, which is a test.
    oxc: { jsx: { runtime: 'automatic', development: false } },
    resolve: { conditions, alias: { ...alias, ...(react !== undefined && aliasesOf(react)) } },
    ssr: { noExternal: true, resolve: { conditions } },
    plugins: [
      {
        name: 'files',
        enforce: 'pre',
        resolveId: (id: string) => [id, join(import.meta.dirname, id)].find((path) => sources.has(path)) ?? null,
        load: (id: string) => sources.get(id) ?? null,
      },
    ],
    build: {
      write: false,
      ssr: platform === 'node',
      minify: mode === 'production',
      rolldownOptions: { input: [...sources.keys()][0] },
    },
  })
  return output.find(({ type }) => type === 'chunk')?.code ?? ''
}

/** A page that runs this code; `root` is what it finds there. */
export function toHtml(title: string, code: string, root = '<div id="root"></div>'): string {
  return `<!doctype html><title>${title}</title><link rel="icon" href="data:,">${root}
<script type="module">${code.replaceAll('</script', String.raw`<\/script`)}</script>`
}

function aliasesOf(folder: string): Record<string, string> {
  return Object.fromEntries(['react', 'react-dom'].map((name) => [name, join(folder, name)]))
}

async function loadVite(): Promise<Vite> {
  const ofCli = createRequire(require.resolve('@sdk/cli/package.json'))
  return import(pathToFileURL(ofCli.resolve('vite')).href) as Promise<Vite>
}
