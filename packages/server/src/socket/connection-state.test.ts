import { describe, expect, it } from 'vitest'
import { END } from './connection-end.ts'
import { transition, type ConnectionState } from './connection-state.ts'

const closing = (end: keyof typeof END): ConnectionState => ({ phase: 'closing', end: END[end] })
const closed = (end: keyof typeof END): ConnectionState => ({ phase: 'closed', end: END[end] })

describe('transition', () => {
  it('goes from the greeting to an open session', () => {
    const resuming = transition({ phase: 'greeting' }, { phase: 'resuming' })
    expect(transition(resuming, { phase: 'open' })).toEqual({ phase: 'open' })
  })

  it('does not open a connection that is closing or has not been greeted', () => {
    expect(transition(closing('badFrame'), { phase: 'open' })).toEqual(closing('badFrame'))
    expect(transition({ phase: 'greeting' }, { phase: 'open' })).toEqual({ phase: 'greeting' })
  })

  it('keeps the first end', () => {
    expect(transition(closing('badFrame'), closing('slowConsumer'))).toEqual(closing('badFrame'))
    expect(transition(closing('badFrame'), closed('lost'))).toEqual(closed('badFrame'))
    expect(transition({ phase: 'open' }, closed('lost'))).toEqual(closed('lost'))
  })

  it('ends the session of a user who is signed out while the connection is closing', () => {
    const state = transition(closing('badFrame'), closing('signOut'))
    expect(transition(state, closed('lost'))).toEqual(closed('signOut'))
  })

  it('keeps a closed connection closed', () => {
    expect(transition(closed('lost'), closing('signOut'))).toEqual(closed('lost'))
  })
})
