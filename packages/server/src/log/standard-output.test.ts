import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { nodeArguments } from '@sdk/test-kit'
import { describe, expect, it } from 'vitest'

/** Starts a separate process that logs to its standard output. */
async function run(program: string) {
  const args = await nodeArguments(fileURLToPath(new URL('logs.test.fixture.ts', import.meta.url)))
  const source = `
    import { createAccessLog, createLog } from ${JSON.stringify(args.pop())}
    const log = createLog({ format: 'json', level: 'debug' })
    const access = createAccessLog({ log })
    ${program}`
  const child = spawn(process.execPath, [...args, '--input-type=module', '-e', source])
  let errors = ''
  child.stderr.on('data', (text: Buffer) => (errors += text.toString()))
  return { child, errors: () => errors }
}

async function linesOf({ child }: Awaited<ReturnType<typeof run>>): Promise<Record<string, unknown>[]> {
  let out = ''
  child.stdout.on('data', (text: Buffer) => (out += text.toString()))
  if (child.exitCode === null || !child.stdout.readableEnded) await once(child, 'close')
  return out
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
}

const RECORD = `{ time: Date.now(), requestId: 'r', method: 'GET', route: 'GET /x', target: '/x', status: 200, ms: 1, bytes: 2,
  userId: null, traceId: null, aborted: false }`

describe('standardOutput', () => {
  it.each([
    ['exits', 'process.exit(3)', 3],
    ['ends', '', 0],
    ['crashes', 'throw new Error("boom")', 1],
  ])('writes all lines in order if the process %s immediately', async (_, end, code) => {
    const process = await run(`log.info('a'); access.add(${RECORD}); log.info('b'); ${end}`)
    const lines = await linesOf(process)
    expect(lines.map(({ message }) => message)).toEqual(['a', 'GET /x 200', 'b'])
    expect(process.child.exitCode).toBe(code)
  })

  it('keeps running if the output is not read, drops the oldest lines and reports how many', async () => {
    const process = await run(`
      for (let n = 0; n < 40_000; n++) {
        access.add({ ...${RECORD}, bytes: n })
        if (n % 500 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
      console.error('alive')
      process.stdin.once('data', async () => { await access.flush(); process.exit(0) })`)
    await once(process.child.stderr, 'data')
    expect(process.errors()).toBe('alive\n')
    process.child.stdin.write('read now\n')
    const lines = await linesOf(process)
    const dropped = lines.filter(({ message }) => String(message).startsWith('log lines were dropped'))
    const counts = dropped.map(({ count }) => Number(count))
    const total = lines.length - dropped.length + counts.reduce((sum, count) => sum + count, 0)
    expect(total).toBe(40_000)
    expect(Math.max(...counts)).toBeGreaterThan(20_000)
    expect(lines.at(-1)).toMatchObject({ bytes: 39_999 })
  })

  it('keeps running if the reader closes the pipe', async () => {
    const process = await run(`
      log.info('first')
      process.stdin.once('data', () => {
        for (let n = 0; n < 3_000; n++) access.add(${RECORD})
        setTimeout(() => { log.info('more'); console.error('alive'); process.exit(0) }, 150)
      })`)
    await once(process.child.stdout, 'data')
    process.child.stdout.destroy()
    process.child.stdin.write('go\n')
    const [code] = (await once(process.child, 'exit')) as [number]
    expect([code, process.errors()]).toEqual([0, 'alive\n'])
  })
})
