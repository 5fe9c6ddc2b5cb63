import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { build, type Plugin } from 'esbuild'

/** A bundled module with all its dependencies, as a browser loads it. */
export interface Bundle {
  readonly code: string
  /** In bytes: minified, and compressed with gzip. */
  readonly size: number
  readonly gzip: number
  /** The minified bytes of each file, largest first. */
  readonly parts: readonly (readonly [file: string, bytes: number])[]
}

const require = createRequire(import.meta.url)

/** Leaves out modules that are loaded on demand, which bundlers put into files of their own. */
const onDemand: Plugin = {
  name: 'on-demand',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ kind, path }) => (kind === 'dynamic-import' ? { path, external: true } : undefined))
  },
}

/** Bundles a module of this folder for production, without the modules that it loads on demand. */
export async function bundle(file: string, external: readonly string[] = []): Promise<Bundle> {
  const { outputFiles, metafile } = await build({
    entryPoints: [join(import.meta.dirname, file)],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'browser',
    target: 'es2022',
    // As Vite and other bundlers set it in production.
    define: { 'process.env.NODE_ENV': '"production"', 'import.meta.env.DEV': 'false' },
    external: [...external],
    plugins: [onDemand],
    // One React for all, although our packages and the peers install it in different folders.
    alias: external.includes('react') ? {} : { react: folderOf('react'), 'react-dom': folderOf('react-dom') },
    logLevel: 'error',
  })
  const bytes = outputFiles[0]?.contents ?? new Uint8Array()
  const parts = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).map(([path, { bytesInOutput }]): [string, number] => [path, bytesInOutput]),
  )
  return {
    code: new TextDecoder().decode(bytes),
    size: bytes.length,
    gzip: gzipSync(bytes, { level: 9 }).length,
    parts: parts.toSorted(([, one], [, other]) => other - one),
  }
}

function folderOf(name: string): string {
  return dirname(require.resolve(`${name}/package.json`))
}
