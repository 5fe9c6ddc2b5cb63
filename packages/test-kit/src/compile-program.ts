import { createHash } from 'node:crypto'
import { readFile, rename } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build, type Plugin } from 'esbuild'

/** The output folder. It is inside `node_modules`, so that compiled programs can resolve their packages. */
const FOLDER = fileURLToPath(new URL('../../../node_modules/.sdk-tests', import.meta.url))

/**
 * The environment variable that is set if the packages are built. Child processes then import the built packages, as
 * users do, and start in half the time.
 */
const BUILT_VARIABLE = 'SDK_TEST_BUILT'

/** Returns the condition that resolves our packages to their sources, or none if the packages are built. */
export function sourceConditions(): string[] {
  return process.env[BUILT_VARIABLE] ? [] : ['@sdk/source']
}

/** Returns the flags that make Node resolve our packages to their sources, or no flags if the packages are built. */
export function resolutionFlags(): string[] {
  return sourceConditions().map((condition) => `--conditions=${condition}`)
}

/** Returns the Node arguments to run a file. TypeScript is run from source, or compiled if the packages are built. */
export async function nodeArguments(file: string): Promise<string[]> {
  if (!file.endsWith('.ts')) return [file]
  if (process.env[BUILT_VARIABLE]) return [await compileOnce(file)]
  const tsx = createRequire(import.meta.url).resolve('tsx')
  return [...resolutionFlags(), '--import', pathToFileURL(tsx).href, file]
}

const compiled = new Map<string, Promise<string>>()

function compileOnce(file: string): Promise<string> {
  const started = compiled.get(file) ?? compileProgram(file)
  compiled.set(file, started)
  return started
}

/** Bundles a program and its local imports into one file that plain Node can run. Packages remain external. */
async function compileProgram(file: string): Promise<string> {
  const name = createHash('sha256').update(file).digest('hex').slice(0, 16)
  const outfile = join(FOLDER, `${name}.mjs`)
  const draft = `${outfile}.${process.pid}`
  await build({
    entryPoints: [file],
    outfile: draft,
    bundle: true,
    packages: 'external',
    platform: 'node',
    format: 'esm',
    target: 'node20',
    jsx: 'automatic',
    keepNames: true,
    plugins: [sourceFiles],
    logLevel: 'silent',
  })
  await rename(draft, outfile) // atomic, since another test may be starting the same program
  return outfile
}

/** A plugin that makes `import.meta` refer to the source file, so that relative paths remain valid in the bundle. */
const sourceFiles: Plugin = {
  name: 'source-files',
  setup({ onLoad, onResolve }) {
    // Examples are not built, so they are compiled too.
    onResolve({ filter: /^@sdk\/example-/ }, ({ path, importer }) => ({ path: createRequire(importer).resolve(path) }))
    onLoad({ filter: /\.tsx?$/ }, async ({ path }) => {
      const text = await readFile(path, 'utf8')
      const contents = text
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(path)))
        .replaceAll('import.meta.filename', JSON.stringify(path))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href))
      return { contents, loader: path.endsWith('x') ? 'tsx' : 'ts' }
    })
  },
}
