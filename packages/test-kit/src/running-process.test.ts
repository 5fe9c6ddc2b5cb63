import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { freePort } from './free-port.ts'
import { type RunningProcess, startProcess } from './running-process.ts'

const FOREVER = 'setInterval(() => {}, 1000)'

describe('startProcess', () => {
  it('waits for a complete line and returns the match without colors', async () => {
    const running = await runScript(`
      process.stdout.write('at \\x1b[36mhttp://127.0.0.1:4')
      setTimeout(() => console.log('000\\x1b[39m ready'), 50)
    `)
    expect(await running.waitFor(/http:\S+/)).toBe('http://127.0.0.1:4000')
    expect(await running.exited).toEqual({ code: 0, signal: null })
  })

  it('rejects with the output if the process exits before it prints the line', async () => {
    const running = await runScript(`console.error('port is taken'); process.exit(3)`)
    await expect(running.waitFor(/ready/)).rejects.toThrow('port is taken')
    expect(await running.exited).toEqual({ code: 3, signal: null })
  })

  it('rejects if the line is not printed before the timeout', async () => {
    const running = await runScript(FOREVER)
    await expect(running.waitFor(/ready/, { timeout: 20 })).rejects.toThrow('did not print')
    await running.kill()
  })

  it('lets the process handle SIGTERM when it is stopped', async () => {
    const running = await runScript(`
      process.on('SIGTERM', () => { console.log('bye'); process.exit(0) })
      console.log('up'); ${FOREVER}
    `)
    await running.waitFor(/up/)
    expect(await running.stop()).toEqual({ code: 0, signal: null })
    expect(running.output()).toContain('bye')
  })

  it('kills a suspended process and its children that ignore SIGTERM', async () => {
    const child = `process.on('SIGTERM', () => {}); console.log('child is up'); ${FOREVER}`
    const running = await runScript(`
      const { spawn } = require('node:child_process')
      spawn(process.execPath, ['-e', ${JSON.stringify(child)}], { stdio: 'inherit' })
      ${FOREVER}
    `)
    await running.waitFor(/child is up/)
    running.signal('SIGSTOP')
    // The child writes to the same pipe: kill() would not resolve while the child is alive.
    expect(await running.kill()).toEqual({ code: null, signal: 'SIGKILL' })
  })

  it('rejects if the program does not exist', async () => {
    await expect(startProcess({ command: 'no-such-program' })).rejects.toThrow('ENOENT')
  })

  it('ends its child processes when the calling process is killed', async () => {
    const port = await freePort()
    const server = `require('node:net').createServer().listen(${port}, () => console.log('up'))`
    const url = new URL('running-process.ts', import.meta.url).href
    const parent = await startProcess({
      command: process.execPath,
      args: ['--import', 'tsx', '--input-type=module', '-e'].concat(`
        const { startProcess } = await import(${JSON.stringify(url)})
        const args = ['-e', ${JSON.stringify(server)}]
        const child = await startProcess({ command: process.execPath, args })
        console.log('child ' + await child.waitFor(/up/))
      `),
    })
    await parent.waitFor(/child up/)
    expect(await isListening(port)).toBe(true)
    parent.signal('SIGKILL')
    await expect.poll(() => isListening(port), { timeout: 10_000 }).toBe(false)
  })
})

function runScript(script: string): Promise<RunningProcess> {
  return startProcess({ command: process.execPath, args: ['-e', script] })
}

function isListening(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}
