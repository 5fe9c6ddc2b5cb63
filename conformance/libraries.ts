import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { installPackages } from '../scripts/nodes.ts'
import { capture } from '../scripts/run.ts'
import { readPage } from '../tests/docs/check/page.ts'
import { CACHE, FOLDER, judge, type Verdict } from './tools.ts'

const PAGE = 'docs/guide/tools.md'
const LIBRARIES = [
  { name: '@openai/agents', version: '0.20.0' },
  { name: '@langchain/core', version: '1.2.13' },
  { name: '@mastra/core', version: '1.71.0' },
]

/** The code for other model libraries in the guide: compiled, and run with models that call a tool. */
export async function libraries(): Promise<Verdict> {
  const folder = join(CACHE, `libraries-${LIBRARIES.map(({ version }) => version).join('-')}`)
  await installPackages(folder, LIBRARIES)
  const app = join(folder, 'app')
  const count = await writeApp(app)
  if (count !== LIBRARIES.length)
    return { summary: 'not found', faults: [`${PAGE} must have a file for each library, got ${count} files`] }
  const node = `cd '${app}' && '${process.execPath}'`
  const compiled = await capture(`${node} '${join(FOLDER, '../node_modules/typescript/bin/tsc')}' -p .`)
  if (compiled.code !== 0) return judge(compiled, 'does not compile')
  const ran = await capture(`${node} --conditions=@sdk/source --import tsx run.ts`)
  return judge(ran, `${LIBRARIES.map(({ name }) => name).join(', ')}: each model calls a tool of ctx.tools`)
}

/** Writes the files of the page, and the program that runs them. Returns the number of files of the page. */
async function writeApp(app: string): Promise<number> {
  const files = readPage(PAGE).blocks.flatMap(({ words, file, text }) =>
    words.includes('before') && file !== undefined ? [[file, text] as const] : [],
  )
  const config = { extends: join(FOLDER, '../tests/tsconfig.json'), include: ['**/*.ts'] }
  for (const [file, text] of [
    ...files,
    ['package.json', '{ "private": true, "type": "module" }\n'],
    ['tsconfig.json', JSON.stringify(config)],
  ] as const) {
    await mkdir(dirname(join(app, file)), { recursive: true })
    await writeFile(join(app, file), text)
  }
  await copyFile(join(FOLDER, 'libraries/run.ts'), join(app, 'run.ts'))
  return files.length
}
