import { channel } from 'node:diagnostics_channel'

/** A mail to a user, with the link that is its point. */
export interface AuthMail {
  /** What it is for. */
  readonly kind: 'verify-email' | 'reset-password'
  /** The address. */
  readonly to: string
  /** Whom it is for. */
  readonly user: { readonly id: string; readonly name: string; readonly email: string }
  /** The line above it. */
  readonly subject: string
  /** Plain text that ends with the link. */
  readonly text: string
  /** The link. */
  readonly url: string
  /** What proves the link, for apps that build links of their own. */
  readonly token: string
}

/** How mail is sent, and what it is needed for. */
export interface AuthEmailOptions {
  /**
   * Sends a mail. Callers never wait for it, `auth.close()` does; what it throws is logged, what it returns is not looked at.
   * @default in development, shows the link in the terminal; in production no mail is sent, and the routes that need it are off
   */
  send?: ((mail: AuthMail) => unknown) | undefined
  /** Must an address be verified before its user can sign in? @default false */
  requireVerification?: boolean | undefined
  /** The page on which a new password is typed: the link leads there with `?token=`, unless the request named a page. @default '/reset-password' */
  resetPath?: string | undefined
}

/** The options once filled in. */
export interface AuthEmailSettings {
  /** Null: no mail is sent. */
  readonly send: ((mail: AuthMail) => unknown) | null
  readonly requireVerification: boolean
  readonly resetPath: string
}

/** Carries mails that are only shown to development tools, by `subscribe('sdk:auth:mail', (mail) => …)`. */
const mailChannel = channel('sdk:auth:mail')

/** Stands in for a mail server in development: the link appears in the terminal, and where tools listen. */
export function showMail(mail: AuthMail): void {
  mailChannel.publish(mail)
  // oxlint-disable-next-line no-console -- for the person at the terminal, in whatever form the log has
  console.log(`\n  Mail to ${mail.to}: ${mail.subject}\n  ${mail.url}\n`)
}
