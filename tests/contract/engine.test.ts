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

const PATIENT: DriverOptions = { timeout: 60_000 }

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

  /** These send thousands of requests at once, which the default timeout of 5 s does not allow on a busy machine. */
  const openPair = (): readonly [Engine, Engine] => [open(server.url, PATIENT), open(server.url, PATIENT)]

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

  describe('over a broken connection', () => {
    let link: Link
    beforeEach(async () => {
      link = await openLink(server.url)
    })
    afterEach(() => link.close())

    it('receives the messages that another engine published during a disconnect', async () => {
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

    it('receives missed messages even if no other message follows', async () => {
      const stream = newStream()
      const away = await listen(open(link.url), stream)
      await link.cut()
      await open().publish(stream, 'missed')
      await link.restore()
      await away.until('missed')
      expect(away.data()).toEqual(['missed'])
    })

    it('publishes once even if the response is lost', async () => {
      const stream = newStream()
      const subscriber = await listen(open(), stream)
      const engine = open(link.url)
      await engine.publish(stream, 'before')
      link.mute()
      const publishing = expectUnavailable(engine.publish(stream, 'perhaps'))
      await subscriber.until('perhaps')
      await link.cut()
      await publishing
      await link.restore()
      await persist(() => engine.publish(stream, 'after'))
      await subscriber.until('after')
      expect(subscriber.data()).toEqual(['before', 'perhaps', 'after'])
    })

    it('increments once even if the response is lost', async () => {
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

    it('releases its names while it is disconnected, and claims them again', async () => {
      const [engine, other] = [open(link.url), open()]
      engine.names?.claim('ada')
      await expectHeld(other, 'ada', true)
      await link.cut()
      await expectHeld(other, 'ada', false)
      await link.restore()
      await expectHeld(other, 'ada', true)
    })

    it('can subscribe while it is disconnected', async () => {
      await link.cut()
      const stream = newStream()
      const listening = listen(open(link.url), stream)
      await link.restore()
      const subscriber = await listening
      await open().publish(stream, 'hello')
      await subscriber.until('hello')
      expect(subscriber.data()).toEqual(['hello'])
    })
  })
})
