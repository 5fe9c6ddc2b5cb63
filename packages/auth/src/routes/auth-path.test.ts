import { describe, expect, it } from 'vitest'
import { toAuthPath } from './auth-path.ts'

describe('toAuthPath', () => {
  it('returns the path below the base path', () => {
    expect(toAuthPath('/api/auth/sign-in/email', '/api/auth')).toBe('/sign-in/email')
    expect(toAuthPath('/api/auth/reset-password/Ab_9-~', '/api/auth')).toBe('/reset-password/Ab_9-~')
    expect(toAuthPath('/auth/.well-known/jwks.json', '/auth')).toBe('/.well-known/jwks.json')
  })

  it('throws for other spellings of a path', () => {
    const aliases = [
      '/api/auth',
      '/api/auth/',
      '/api/auth//sign-in/email',
      '//api/auth/sign-in/email',
      '/api/auth/sign-in/email/',
      '/api/auth/sign-in//email',
      '/api/auth/./sign-in/email',
      '/api/auth/x/../sign-in/email',
      '/api/auth/..',
      '/api/auth/%2e%2e/sign-in/email',
      '/api/auth/%73ign-in/email',
      '/api/auth/sign-in%2Femail',
      '/api/auth/sign-in\\email',
      '/api/auth/sign-in/email;x=1',
      '/API/auth/sign-in/email',
      '/api/authsign-in/email',
    ]
    for (const path of aliases) expect(() => toAuthPath(path, '/api/auth'), path).toThrow('Auth route not found')
  })
})
