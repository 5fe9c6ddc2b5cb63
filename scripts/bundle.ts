/**
 * Bundles the sources of each package into few files in its `dist`, next to the declarations that tsc writes: Node
 * loads a few large files in a fraction of the time that it needs for hundreds of small ones.
 */
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative } from 'node:path'
import { build, type Plugin } from 'rolldown'

/** Packages for browsers keep a file per module, so that bundlers of applications can leave out unused modules. */
const FOR_BROWSERS = new Set(['frontend', 'react'])
/** Files that are loaded by path, not through the `exports` of the package. */
const LOADED_BY_PATH = [
  'src/bin.ts',
  'src/start/production.ts',
  'src/start/serve-on-bun.ts',
  'src/start/worker.ts',
  'src/workers/run-primary.ts',
]
/** Hono's routers, the only bundled dependency: a server loads 15 small files of it. Its license goes with them. */
const ROUTERS = 'hono/router/'

type Entry = string | { readonly '@sdk/source': string; readonly workerd?: Entry }

interface Manifest {
  readonly exports: Readonly<Record<string, Entry>>
  readonly imports?: Readonly<Record<string, Entry>>
}

await Promise.all(readdirSync('packages').map(bundle))

async function bundle(name: string): Promise<void> {
  const folder = join(import.meta.dirname, '../packages', name)
  const [src, dist] = [join(folder, 'src'), join(folder, 'dist')]
  const preserveModules = FOR_BROWSERS.has(name)
  removeScripts(dist)
  await build({
    input: Object.fromEntries(entriesOf(folder).map((file) => [relative(src, file).replace(/\.ts$/, ''), file])),
    // Other platforms replace `process.env.NODE_ENV` by the value of the build.
    platform: 'node',
    external: (id) => !/^[./]/.test(id) && !id.startsWith(ROUTERS),
    plugins: [keepUrls(src)],
    logLevel: 'warn',
    checks: { moduleLevelDirective: false }, // files that have one are kept as they are
    output: {
      dir: dist,
      entryFileNames: '[name].js',
      chunkFileNames: 'chunk-[name].js',
      sourcemap: true,
      ...(preserveModules && { preserveModules, preserveModulesRoot: src }),
    },
  })
  if (name === 'server') copyFileSync('node_modules/hono/LICENSE', join(dist, 'LICENSE-hono'))
}

function entriesOf(folder: string): string[] {
  const { exports, imports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest
  const sourcesOf = (entry: Entry | undefined): string[] =>
    typeof entry === 'object' ? [entry['@sdk/source'], ...sourcesOf(entry.workerd)] : []
  const exported = Object.values({ ...exports, ...imports }).flatMap(sourcesOf)
  return [...exported, ...LOADED_BY_PATH].map((file) => join(folder, file)).filter((file) => existsSync(file))
}

/** Removes the scripts of the last build, whose names may differ. The workbench's UI has its own build. */
function removeScripts(dist: string): void {
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (/\.js(?:\.map)?$/.test(entry.name) && !path.startsWith(join(dist, 'ui'))) rmSync(path)
  }
}

/** Keeps the value of `import.meta.url`, so that modules can refer to other files of the package by relative paths. */
function keepUrls(src: string): Plugin {
  return {
    name: 'keep-urls',
    transform(code, id) {
      const path = relative(src, id).replace(/\.ts$/, '.js')
      const kept = code.replaceAll(', import.meta.url)', `, new URL('./${path}', import.meta.url))`)
      return kept === code ? null : { code: kept, map: null }
    },
  }
}
