import { describe, expect, it } from 'vitest'
import { accountSourceAt, attemptAt, isSignInRoute, normalizeAccount } from './attempt.ts'

describe('attemptAt', () => {
  it('returns the kind of attempt for routes of Better Auth and its plugins', () => {
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

  it('returns null for routes where nothing can be guessed', () => {
    for (const path of ['/sign-out', '/access-token', '/revoke-session', '/sign-in/social', '/update-user'])
      expect([path, attemptAt('POST', path)]).toEqual([path, null])
    expect(attemptAt('GET', '/verify-email')).toBeNull()
  })
})

describe('accountSourceAt', () => {
  it('returns the source of the account for each route', () => {
    const sources = {
      email: [
        '/sign-in/email',
        '/sign-up/email',
        '/sign-in/email-otp',
        '/request-password-reset',
        '/email-otp/verify-email',
      ],
      username: ['/sign-in/username'],
      phoneNumber: ['/sign-in/phone-number', '/phone-number/verify'],
      'two-factor': ['/two-factor/verify-totp', '/two-factor/send-otp'],
      session: [
        '/change-password',
        '/two-factor/disable',
        '/delete-user',
        '/email-otp/change-email',
        '/passkey/verify-authentication',
      ],
    }
    for (const [source, paths] of Object.entries(sources))
      for (const path of paths) expect([path, accountSourceAt(path)]).toEqual([path, source])
  })
})

describe('isSignInRoute', () => {
  it('returns true only for routes that sign a user in', () => {
    const paths = [
      '/sign-in/email',
      '/two-factor/verify-totp',
      '/two-factor/disable',
      '/change-password',
      '/email-otp/verify-email',
      '/sign-in/sso',
    ]
    expect(paths.filter(isSignInRoute)).toEqual(['/sign-in/email', '/two-factor/verify-totp'])
  })
})

describe('normalizeAccount', () => {
  it('returns the same name for all spellings of an account', () => {
    const spellings = [
      'ada@example.com',
      'ADA@Example.COM',
      ' ada@example.com\t',
      'ａｄａ@example.com',
      'a\u200Bda@example.com',
    ]
    expect(new Set(spellings.map(normalizeAccount))).toEqual(new Set(['ada@example.com']))
    // The Kelvin sign is a K.
    expect(normalizeAccount('\u212Aim@example.com')).toBe('kim@example.com')
    expect(normalizeAccount('zoe\u0308@x.test')).toBe(normalizeAccount('ZO\u00CB@x.test'))
  })
})
