import { CLOSE } from '@sdk/protocol'
import { describe, expect, it } from 'vitest'
import { explainClose } from './close-codes.ts'

describe('explainClose', () => {
  it('explains every code that the server closes with', () => {
    for (const code of Object.values(CLOSE)) {
      expect(explainClose(code).meaning).not.toMatch(/unknown|own code/)
    }
  })

  it('explains how the client reacts', () => {
    expect(explainClose(1012).next).toBe('the client reconnects')
    expect(explainClose(4403).next).toBe('the client does not reconnect')
    expect(explainClose(4401).next).toBe('the client reconnects once with a new token')
    expect(explainClose(4777).meaning).toBe('a custom code defined by the app')
  })
})
