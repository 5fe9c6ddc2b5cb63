import { join } from 'node:path'
import { build, type Plugin } from 'esbuild'

/** Options for a bundle. */
export interface BundleOptions {
  /** The modules by file name; the first is the entry point. */
  files: Readonly<Record<string, string>>
  /** Only the development build of React runs effects twice in StrictMode. */
  mode: 'development' | 'production'
  /** The target: a module in a browser, or a CommonJS file in Node. @default 'browser' */
  platform?: 'browser' | 'node'
  /** The `node_modules` with another React. @default the workspace's */
  react?: string | undefined
  /** The paths of modules that the workspace does not have. @default none */
  alias?: Readonly<Record<string, string>>
}

/** Bundles modules and the sources of our packages into one file. */
export async function bundle({ files, mode, platform = 'browser', react, alias }: BundleOptions): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: Object.keys(files).slice(0, 1),
    bundle: true,
    write: false,
    platform,
    format: platform === 'node' ? 'cjs' : 'esm',
    conditions: ['@sdk/source', 'module'],
    define: { 'process.env.NODE_ENV': JSON.stringify(mode) },
    jsx: 'automatic',
    // A page loads a smaller bundle faster. In development, names stay, since React prints them.
    minifyWhitespace: true,
    minifySyntax: true,
    minifyIdentifiers: mode === 'production',
    alias: { ...alias, ...(react !== undefined && aliasesOf(react)) },
    plugins: [inMemory(files)],
    logLevel: 'silent',
  })
  return outputFiles[0]?.text ?? ''
}

/** Returns a page that runs this code; `root` is its content. */
export function toHtml(title: string, code: string, root = '<div id="root"></div>'): string {
  return `<!doctype html><title>${title}</title><link rel="icon" href="data:,">${root}
<script type="module">${code.replaceAll('</script', String.raw`<\/script`)}</script>`
}

function inMemory(files: Readonly<Record<string, string>>): Plugin {
  const sources = new Map(Object.entries(files).map(([name, source]) => [join(import.meta.dirname, name), source]))
  return {
    name: 'in-memory',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /\.tsx$/ }, ({ path }) => {
        const file = join(import.meta.dirname, path)
        return sources.has(file) ? { path: file, namespace: 'memory' } : undefined
      })
      onLoad({ filter: /./, namespace: 'memory' }, ({ path }) => ({
        contents: sources.get(path) ?? '',
        loader: 'tsx',
        resolveDir: import.meta.dirname,
      }))
    },
  }
}

function aliasesOf(folder: string): Record<string, string> {
  return Object.fromEntries(['react', 'react-dom'].map((name) => [name, join(folder, name)]))
}
