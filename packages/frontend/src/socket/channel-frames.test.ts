import { describe, expect, it } from 'vitest'
import { open } from './channel.test.fixture.ts'

describe('a channel whose server says odd things', () => {
  it('shows an error of the app, and one that cannot be read', async () => {
    const { channel, wire } = await open()
    wire.last().welcome()
    wire.last().deliver({ o: 'e', i: 1, error: { code: 'ROOM_FULL', message: 'no', details: [] } })
    expect(channel.state.get().error).toMatchObject({ code: 'ROOM_FULL', status: 500 })
    for (const [error, code] of [
      ['{"code":7}'],
      ['{"code":"lower","details":[]}'],
      ['{"code":"GONE","details":1}', 'GONE'],
      ['"x"'],
    ]) {
      wire.last().deliver({ o: 'e', i: 1, error: { code: 'ROOM_FULL', message: 'no', details: [] } })
      wire.last().deliverText(`{"o":"e","i":2,"error":${error}}`)
      expect(channel.state.get().error).toMatchObject({ code: code ?? 'HTTP_500', status: 500, details: [] })
    }
    wire.last().deliver({ o: 'e', i: 3, status: 410, error: { code: 'GONE', message: 'no', details: [] } })
    expect(channel.state.get().error).toMatchObject({ code: 'GONE', status: 410 })
  })

  it('says nothing more to a server that hangs up, and says it to the next', async () => {
    const { channel, clock, wire, reconnect } = await open()
    wire.last().welcome({ sid: 's' })
    wire.last().deliver({ o: 'm', i: 1, d: 'a' })
    const { sent } = wire.last()
    const { length } = sent
    wire.last().readyState = 2
    expect(channel.send('mine')).toBe(true)
    await clock.advance(1000)
    expect(sent).toHaveLength(length)
    await reconnect()
    wire.last().welcome({ sid: 's', res: true })
    expect(wire.last().sent).toMatchObject([
      { o: 'hi', rx: 1 },
      { o: 'm', d: 'mine' },
    ])
  })

  it('ignores whatever is not a frame', async () => {
    const { channel, wire, received } = await open()
    wire.last().welcome()
    const frames = ['', '{', 'null', '[]', '{"o":"x"}', '{"o":"m"}', '{"o":"gap"}', '{"o":"ok"}', '{"o":"e","i":1}']
    for (const text of frames) wire.last().deliverText(text)
    wire.last().deliver({ o: 'm', i: 1, d: 'fine' })
    expect(received).toEqual(['fine'])
    expect(channel.state.get()).toMatchObject({ status: 'open', error: null })
  })

  it('is not confused by frames that lack members: what it says next is as it was', async () => {
    const { channel, wire, received, reconnect } = await open()
    wire.last().welcome({ sid: 's' })
    wire.last().deliver({ o: 'm', i: 1, d: 'a' })
    wire.last().deliver({ o: 'm', s: 'lobby', e: 'e1', i: 7, d: 'b' })
    channel.send('mine')
    for (const members of [
      '"m","d":"x"',
      '"m","s":"lobby","e":"e1","d":"x"',
      '"m","s":"lobby","i":8,"d":"x"',
      '"m","s":"hall","e":"e1","d":"x"',
      '"a"',
      '"e","i":1',
      '"at","e":"e1","i":9',
      '"at","s":"lobby","i":9',
      '"at","s":"lobby","e":"e1"',
      '"left"',
      '"gap","from":1',
      '"ok"',
    ])
      wire.last().deliverText(`{"o":${members}}`)
    expect(channel.state.get()).toEqual({ status: 'open', error: null, pending: 1 })
    await reconnect()
    wire.last().accept()
    expect(wire.last().sent[0]).toEqual({ o: 'hi', v: 1, sid: 's', rx: 1, pos: { lobby: ['e1', 7] } })
    expect(received).toEqual(['a', 'b'])
  })
})
