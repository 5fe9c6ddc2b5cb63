import { type Engine, memoryEngine } from '@sdk/server'
import type { Service } from '@sdk/test-kit'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { expectUnavailable, persist } from './availability.ts'
import { DRIVERS } from './drivers.ts'
import { engineContract, sharedContract } from './engine-contract.ts'
import { historyContract, trimContract } from './history-contract.ts'
import { kvContract } from './kv-contract.ts'
import { type Link, openLink } from './link.ts'
import { expectContiguous, listen, newStream } from './listen.ts'
import { expectHeld, namesContract } from './names-contract.ts'
import type { DriverOptions } from './open-engine.ts'
import { openBy, silent, track } from './opened-engines.ts'
import { ownerContract } from './owner-contract.ts'
import { presenceContract, sharedPresenceContract } from './presence-contract.ts'
import { quotaContract } from './quota-contract.ts'
import { sequenceContract } from './sequence-contract.ts'

describe('memoryEngine', () => {
  const open = (): Engine => track(memoryEngine({ log: silent }))

  const openPair = (): readonly [Engine, Engine] => {
    const engine = open()
    return [engine, engine] // one process, one engine
  }

  engineContract(open)
  historyContract(openPair)
  trimContract(() => track(memoryEngine({ log: silent, history: { messages: 100 } })))
  presenceContract(openPair)
  sequenceContract(openPair)
  kvContract(openPair)
  ownerContract(openPair)
  quotaContract(openPair)
})

describe.each(DRIVERS)('$name', (driver) => {
  let server: Service
  beforeAll(async () => {
    server = await driver.start()
  })
  afterAll(() => server.stop())

  const open = (url = server.url, options: DriverOptions = {}): Engine => openBy(driver, url, options)

  const openPair = (): readonly [Engine, Engine] => [open(), open()]

  engineContract(() => open())
  sharedContract(() => open())
  historyContract(openPair)
  trimContract(() => open(server.url, { keep: 100 }))
  presenceContract(openPair)
  sharedPresenceContract(() => open())
  namesContract(() => open())
  sequenceContract(openPair)
  kvContract(openPair)
  ownerContract(openPair)
  quotaContract(openPair)

  describe('over a connection that breaks', () => {
    let link: Link
    beforeEach(async () => {
      link = await openLink(server.url)
    })
    afterEach(() => link.close())

    it('hears what another engine published while it was cut off', async () => {
      const stream = newStream()
      const away = await listen(open(link.url), stream)
      const other = open()
      await other.publish(stream, 'before')
      await away.until('before')

      await link.cut()
      // More than one page of the history.
      const missed = Array.from({ length: 350 }, (_, index) => `missed ${index}`)
      await Promise.all(missed.map((data) => other.publish(stream, data)))
      await link.restore()

      await other.publish(stream, 'after')
      await away.until('after')
      expect(away.data()).toEqual(['before', ...missed, 'after'])
      expectContiguous(away.frames)
    })

    it('hears it also when nothing follows', async () => {
      const stream = newStream()
      const away = await listen(open(link.url), stream)
      await link.cut()
      await open().publish(stream, 'missed')
      await link.restore()
      await away.until('missed')
      expect(away.data()).toEqual(['missed'])
    })

    it('publishes once also when the answer is lost', async () => {
      const stream = newStream()
      const ears = await listen(open(), stream)
      const engine = open(link.url)
      await engine.publish(stream, 'before')
      link.mute()
      const publishing = expectUnavailable(engine.publish(stream, 'perhaps'))
      await ears.until('perhaps')
      await link.cut()
      await publishing
      await link.restore()
      await persist(() => engine.publish(stream, 'after'))
      await ears.until('after')
      expect(ears.data()).toEqual(['before', 'perhaps', 'after'])
    })

    it('adds once also when the answer is lost', async () => {
      const [engine, other] = [open(link.url), open()]
      await engine.kv.increment('sum', 1)
      link.mute()
      const adding = expectUnavailable(engine.kv.increment('sum', 1))
      await expect.poll(() => other.kv.get('sum')).toBe('2')
      await link.cut()
      await adding
      await link.restore()
      await persist(() => engine.kv.get('sum'))
      expect(await engine.kv.increment('sum', 1)).toBe(3)
    })

    it('is gone for others while it is cut off, and there again with its connection', async () => {
      const [engine, other] = [open(link.url), open()]
      engine.names?.claim('ada')
      await expectHeld(other, 'ada', true)
      await link.cut()
      await expectHeld(other, 'ada', false)
      await link.restore()
      await expectHeld(other, 'ada', true)
    })

    it('subscribes while it is cut off, and hears when the connection is back', async () => {
      await link.cut()
      const stream = newStream()
      const listening = listen(open(link.url), stream)
      await link.restore()
      const ears = await listening
      await open().publish(stream, 'hello')
      await ears.until('hello')
      expect(ears.data()).toEqual(['hello'])
    })
  })
})
