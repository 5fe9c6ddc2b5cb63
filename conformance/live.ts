import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { capture } from '../scripts/run.ts'
import { FOLDER, judge, runTool, type Verdict } from './tools.ts'
import { createSender, INVALID, sendValid } from './vectors.ts'

/** A process that listens. */
export interface Listening {
  readonly url: string
  close(): Promise<void>
}

/** Starts an app of this folder. */
export function startApp(file = 'app.ts'): Promise<Listening> {
  const args = ['--conditions=@sdk/source', '--import', 'tsx', join(FOLDER, file)]
  return start(spawn(process.execPath, args, PIPED), /"url":"([^"]+)"/)
}

/** The workflow of the Arazzo file, step by step. */
export async function respect(server: string): Promise<Verdict> {
  const outcome = await runTool('redocly', `respect crud.arazzo.yaml --server api=${server}`)
  const [steps = 'no steps'] = /Steps: .*/.exec(outcome.output) ?? []
  const [checks = 'no checks'] = /Checks: .*/.exec(outcome.output) ?? []
  return judge(outcome, `${steps}; ${checks}`)
}

/** Right and wrong requests through a proxy that compares them, and the answers, with the document. */
export async function proxy(server: string): Promise<Verdict> {
  const port = await freePort()
  const bin = join(FOLDER, 'node_modules/.bin/prism')
  const document = join(FOLDER, '.cache/openapi-v1.json')
  const args = [bin, 'proxy', document, server, '--errors', '--port', String(port)]
  const prism = await start(spawn(process.execPath, args, PIPED), /listening on (http:\S+)/)
  try {
    const [through, straight] = [createSender(prism.url), createSender(server)]
    await sendValid(through)
    for (const vector of INVALID) {
      // Prism says 422 of whatever it refuses itself.
      await through.send({ ...vector, status: 422 })
      await straight.send({ ...vector, status: 400 })
    }
    const valid = through.count - INVALID.length
    return {
      summary: `${valid} requests pass, ${INVALID.length} are refused by the document as by the server`,
      faults: [...through.faults, ...straight.faults.map((fault) => `server: ${fault}`)],
    }
  } finally {
    await prism.close()
  }
}

/** A client that others generate from the document: does it compile, and does it work? */
export async function client(server: string): Promise<Verdict> {
  const handlers = await startApp('handlers.ts')
  try {
    const document = await fetch(`${handlers.url}/api/v1/openapi.json`)
    await writeFile(join(FOLDER, '.cache/handlers.json'), await document.text())
    for (const [from, to] of [
      ['openapi-v1.json', 'api.d.ts'],
      ['handlers.json', 'handlers.d.ts'],
    ]) {
      const made = await runTool('openapi-typescript', `.cache/${from} -o .cache/${to}`)
      if (made.code !== 0) return judge(made, `no types of ${from}`)
    }
    const node = `'${process.execPath}'`
    const tsc = join(FOLDER, '../node_modules/typescript/bin/tsc')
    const compiled = await capture(`${node} '${tsc}' -p '${FOLDER}' && ${node} '${tsc}' -p '${join(FOLDER, 'client')}'`)
    if (compiled.code !== 0) return judge(compiled, 'does not compile')
    const run = (file: string, url: string): string => `${node} --import tsx '${join(FOLDER, 'client', file)}' ${url}`
    const ran = await capture(`${run('run.ts', server)} && ${run('handlers.ts', handlers.url)}`)
    return judge(ran, ran.code === 0 ? 'compiles, and works with the server' : 'compiles, but fails')
  } finally {
    await handlers.close()
  }
}

const PIPED: SpawnOptions = { stdio: ['ignore', 'pipe', 'pipe'] }

/** So long a process may take to say where it listens. */
const PATIENCE = 60_000

/** Waits until a process says where it listens. */
function start(child: ChildProcess, pattern: RegExp): Promise<Listening> {
  const kill = (): boolean => child.kill()
  process.once('exit', kill)
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
  })
  const close = async (): Promise<void> => {
    kill()
    await ended
    process.off('exit', kill)
  }
  return new Promise((resolve, reject) => {
    let output = ''
    const read = (text: string): void => {
      output += text
      const [, url] = pattern.exec(output) ?? []
      if (url === undefined) return
      clearTimeout(late)
      resolve({ url, close })
    }
    const late = setTimeout(kill, PATIENCE)
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', read)
    void ended.then(() => {
      clearTimeout(late)
      reject(new Error(`ended before it listened:\n${output}`))
    })
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address()
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0))
    })
  })
}
