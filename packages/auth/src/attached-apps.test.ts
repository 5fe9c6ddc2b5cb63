import { type Engine, type Log, memoryEngine, type SessionHost } from '@sdk/server'
import { describe, expect, it } from 'vitest'
import { AttachedApps } from './attached-apps.ts'

/** Creates a host that records ended sessions and warnings. */
function createHost(engine: Engine = memoryEngine()) {
  const ended: string[] = []
  const warnings: string[] = []
  const warn = (message: string, fields?: object): void => void warnings.push(`${message} ${JSON.stringify(fields)}`)
  const log: Log = { debug() {}, info() {}, warn, error: warn }
  const host: SessionHost = { engine, log, end: (ids) => void ended.push(...ids) }
  return { host, ended, warnings }
}

describe('AttachedApps', () => {
  it('publishes messages to every process until an app is detached', async () => {
    const shared = memoryEngine()
    const received: string[] = []
    const [here, there] = [new AttachedApps(), new AttachedApps()]
    here.subscribe('news', (text) => received.push(`here ${text}`))
    there.subscribe('news', (text) => received.push(`there ${text}`))
    const detach = here.attach(createHost(shared).host)
    there.attach(createHost(shared).host)
    await here.publish('news', 'one')
    expect(received).toEqual(['here one', 'there one'])
    detach()
    await Promise.resolve()
    await there.publish('news', 'two')
    await here.publish('news', 'three')
    expect(received).toEqual(['here one', 'there one', 'there two'])
  })

  it('publishes once per engine if several apps of a process share it', async () => {
    const shared = memoryEngine()
    const apps = new AttachedApps()
    const received: string[] = []
    await shared.subscribe('news', ({ data }) => received.push(data))
    for (const { host } of [createHost(shared), createHost(shared)]) apps.attach(host)
    await apps.publish('news', 'one')
    expect(received).toEqual(['one'])
  })

  it('ends sessions in every attached app', () => {
    const apps = new AttachedApps()
    const [one, other] = [createHost(), createHost()]
    const detach = apps.attach(one.host)
    apps.attach(other.host)
    apps.endSessions(['a'])
    detach()
    apps.endSessions(['b'])
    expect([one.ended, other.ended]).toEqual([['a'], ['a', 'b']])
  })

  it('returns the engine of the attached app and falls back to its own engine', () => {
    const apps = new AttachedApps()
    const own = apps.engine()
    const { host } = createHost()
    const detach = apps.attach(host)
    expect(apps.engine()).toBe(host.engine)
    detach()
    expect(apps.engine()).toBe(own)
  })

  it('logs engine errors instead of throwing them', async () => {
    const broken: Engine = {
      ...memoryEngine(),
      publish: () => Promise.reject(new Error('no engine')),
      subscribe: () => Promise.reject(new Error('no engine')),
    }
    const apps = new AttachedApps()
    apps.subscribe('news', () => {})
    const { host, warnings } = createHost(broken)
    const detach = apps.attach(host)
    await apps.publish('news', 'one')
    detach()
    expect(warnings).toHaveLength(2)
    expect(warnings.every((line) => line.includes('no engine'))).toBe(true)
  })
})
