import { CLOSE } from '@sdk/protocol'
import { describe, expect, it } from 'vitest'
import { explainClose } from './close-codes.ts'

describe('explainClose', () => {
  it('knows every code that we close with', () => {
    for (const code of Object.values(CLOSE)) {
      expect(explainClose(code).meaning).not.toMatch(/unknown|own code/)
    }
  })

  it('says what the client does then', () => {
    expect(explainClose(1012).next).toBe('the client comes back')
    expect(explainClose(4403).next).toBe('the client stops')
    expect(explainClose(4401).next).toBe('the client gets a new token, once')
    expect(explainClose(4777).meaning).toBe("the app's own code")
  })
})
