import { type Engine, type Log, memoryEngine, type SessionHost } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { AttachedApps } from './attached-apps.ts'

/** An app that writes down what it is told. */
function createHost(engine: Engine = memoryEngine()) {
  const ended: string[] = []
  const warned: string[] = []
  const warn = (message: string, fields?: object): void => void warned.push(`${message} ${JSON.stringify(fields)}`)
  const log: Log = { debug() {}, info() {}, warn, error: warn }
  const host: SessionHost = { engine, log, end: (ids) => void ended.push(...ids) }
  return { host, ended, warned }
}

describe('AttachedApps', () => {
  it('tells every app of every process, until it leaves', async () => {
    const shared = memoryEngine()
    const heard: string[] = []
    const [here, there] = [new AttachedApps(), new AttachedApps()]
    here.subscribe('news', (text) => heard.push(`here ${text}`))
    there.subscribe('news', (text) => heard.push(`there ${text}`))
    const leave = here.attach(createHost(shared).host)
    there.attach(createHost(shared).host)
    await here.publish('news', 'one')
    expect(heard).toEqual(['here one', 'there one'])
    leave()
    await Promise.resolve()
    await there.publish('news', 'two')
    await here.publish('news', 'three')
    expect(heard).toEqual(['here one', 'there one', 'there two'])
  })

  it('tells an engine once, however many apps of a process share it', async () => {
    const shared = memoryEngine()
    const apps = new AttachedApps()
    const heard: string[] = []
    await shared.subscribe('news', ({ data }) => heard.push(data))
    for (const { host } of [createHost(shared), createHost(shared)]) apps.attach(host)
    await apps.publish('news', 'one')
    expect(heard).toEqual(['one'])
  })

  it('ends the sockets of every app', () => {
    const apps = new AttachedApps()
    const [one, other] = [createHost(), createHost()]
    const leave = apps.attach(one.host)
    apps.attach(other.host)
    apps.endSessions(['a'])
    leave()
    apps.endSessions(['b'])
    expect([one.ended, other.ended]).toEqual([['a'], ['a', 'b']])
  })

  it('has the engine of the newest app, or one of its own', () => {
    const apps = new AttachedApps()
    const own = apps.engine()
    const { host } = createHost()
    const leave = apps.attach(host)
    expect(apps.engine()).toBe(host.engine)
    leave()
    expect(apps.engine()).toBe(own)
  })

  it('goes on where an engine fails, and says so', async () => {
    const broken: Engine = {
      ...memoryEngine(),
      publish: () => Promise.reject(new Error('no engine')),
      subscribe: () => Promise.reject(new Error('no engine')),
    }
    const apps = new AttachedApps()
    apps.subscribe('news', () => {})
    const { host, warned } = createHost(broken)
    const leave = apps.attach(host)
    await apps.publish('news', 'one')
    leave()
    expect(warned).toHaveLength(2)
    expect(warned.every((line) => line.includes('no engine'))).toBe(true)
  })
})
