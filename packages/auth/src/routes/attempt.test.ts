import { describe, expect, it } from 'vitest'
import { accountIn, attemptAt } from './attempt.ts'

describe('attemptAt', () => {
  it('knows what is tried at the routes of the library and its plugins', () => {
    const kinds = {
      'sign-up': ['/sign-up/email', '/sign-in/anonymous'],
      mail: [
        '/request-password-reset',
        '/forget-password/email-otp',
        '/send-verification-email',
        '/change-email',
        '/sign-in/magic-link',
        '/email-otp/send-verification-otp',
        '/email-otp/request-password-reset',
        '/two-factor/send-otp',
        '/phone-number/send-otp',
      ],
      secret: [
        '/sign-in/email',
        '/sign-in/username',
        '/sign-in/email-otp',
        '/reset-password',
        '/change-password',
        '/verify-password',
        '/delete-user',
        '/two-factor/verify-totp',
        '/two-factor/verify-backup-code',
        '/two-factor/disable',
        '/email-otp/verify-email',
        '/email-otp/reset-password',
        '/phone-number/verify',
      ],
    }
    for (const [kind, paths] of Object.entries(kinds))
      for (const path of paths) expect([path, attemptAt('POST', path)]).toEqual([path, kind])
  })

  it('counts nothing where nothing can be guessed', () => {
    for (const path of ['/sign-out', '/access-token', '/revoke-session', '/sign-in/social', '/update-user'])
      expect([path, attemptAt('POST', path)]).toEqual([path, null])
    expect(attemptAt('GET', '/verify-email')).toBeNull()
  })
})

describe('accountIn', () => {
  it('gives one name to an account, however it is spelled', () => {
    const spellings = [
      'ada@example.com',
      'ADA@Example.COM',
      ' ada@example.com\t',
      'ａｄａ@example.com',
      'a​da@example.com',
    ]
    expect(new Set(spellings.map((email) => accountIn({ email })))).toEqual(new Set(['email ada@example.com']))
    // The Kelvin sign is a K.
    expect(accountIn({ email: '\u212Aim@example.com' })).toBe(accountIn({ email: 'kim@example.com' }))
    expect(accountIn({ email: 'zoe\u0308@x.test' })).toBe(accountIn({ email: 'ZO\u00CB@x.test' }))
  })

  it('reads user names and telephone numbers too, and nothing that is no text', () => {
    expect(accountIn({ username: 'Ada' })).toBe('username ada')
    expect(accountIn({ phoneNumber: '+1 555' })).toBe('phoneNumber +1555')
    expect(accountIn({ email: ['ada@example.com'] })).toBeNull()
  })
})
