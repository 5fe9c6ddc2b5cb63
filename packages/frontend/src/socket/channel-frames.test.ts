import { describe, expect, it } from 'vitest'
import { open } from './channel.test.fixture.ts'

describe('a channel with unusual or invalid frames', () => {
  it('exposes an error of the app, even if it is malformed', async () => {
    const { channel, fake } = await open()
    fake.last().welcome()
    fake.last().deliver({ o: 'e', i: 1, error: { code: 'ROOM_FULL', message: 'no', details: [] } })
    expect(channel.state.get().error).toMatchObject({ code: 'ROOM_FULL', status: 500 })
    for (const [error, code] of [
      ['{"code":7}'],
      ['{"code":"lower","details":[]}'],
      ['{"code":"GONE","details":1}', 'GONE'],
      ['"x"'],
    ]) {
      fake.last().deliver({ o: 'e', i: 1, error: { code: 'ROOM_FULL', message: 'no', details: [] } })
      fake.last().deliverText(`{"o":"e","i":2,"error":${error}}`)
      expect(channel.state.get().error).toMatchObject({ code: code ?? 'HTTP_500', status: 500, details: [] })
    }
    fake.last().deliver({ o: 'e', i: 3, status: 410, error: { code: 'GONE', message: 'no', details: [] } })
    expect(channel.state.get().error).toMatchObject({ code: 'GONE', status: 410 })
  })

  it('sends nothing to a server that is closing, but to the next one', async () => {
    const { channel, clock, fake, reconnect } = await open()
    fake.last().welcome({ sid: 's' })
    fake.last().deliver({ o: 'm', i: 1, d: 'a' })
    const { sent } = fake.last()
    const { length } = sent
    fake.last().readyState = 2
    expect(channel.send('mine')).toBe(true)
    await clock.advance(1000)
    expect(sent).toHaveLength(length)
    await reconnect()
    fake.last().welcome({ sid: 's', res: true })
    expect(fake.last().sent).toMatchObject([
      { o: 'hi', rx: 1 },
      { o: 'm', d: 'mine' },
    ])
  })

  it('ignores text that is not a frame', async () => {
    const { channel, fake, received } = await open()
    fake.last().welcome()
    const frames = ['', '{', 'null', '[]', '{"o":"x"}', '{"o":"m"}', '{"o":"gap"}', '{"o":"ok"}', '{"o":"e","i":1}']
    for (const text of frames) fake.last().deliverText(text)
    fake.last().deliver({ o: 'm', i: 1, d: 'fine' })
    expect(received).toEqual(['fine'])
    expect(channel.state.get()).toMatchObject({ status: 'open', error: null })
  })

  it('ignores frames with missing members and keeps its position', async () => {
    const { channel, fake, received, reconnect } = await open()
    fake.last().welcome({ sid: 's' })
    fake.last().deliver({ o: 'm', i: 1, d: 'a' })
    fake.last().deliver({ o: 'm', s: 'lobby', e: 'e1', i: 7, d: 'b' })
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
      fake.last().deliverText(`{"o":${members}}`)
    expect(channel.state.get()).toEqual({ status: 'open', error: null, pending: 1 })
    await reconnect()
    fake.last().accept()
    expect(fake.last().sent[0]).toEqual({ o: 'hi', v: 1, sid: 's', rx: 1, pos: { lobby: ['e1', 7] } })
    expect(received).toEqual(['a', 'b'])
  })
})
