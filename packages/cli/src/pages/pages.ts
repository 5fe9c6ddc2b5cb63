import { CLOSE_PAGES } from './close-pages.ts'
import { COMMAND_PAGES } from './command-pages.ts'
import { DETAIL_PAGES } from './detail-pages.ts'
import { DOCTOR_PAGES } from './doctor-pages.ts'
import { ERROR_PAGES } from './error-pages.ts'
import { OTHER_PAGES } from './other-pages.ts'
import { EXIT_PAGES } from './exit-pages.ts'
import { TYPE_PAGES } from './type-pages.ts'
import type { ExplainPage } from './page.ts'
import { FIX_BY_ERRNO } from '../system-failure.ts'

/** All pages, by topic. */
export const EXPLAIN_PAGES: Readonly<Record<string, Readonly<Record<string, ExplainPage>>>> = {
  'Failed calls': ERROR_PAGES,
  'Error details': DETAIL_PAGES,
  'Sign-in and other errors': OTHER_PAGES,
  'Closed sockets': CLOSE_PAGES,
  Commands: COMMAND_PAGES,
  'sdk doctor': DOCTOR_PAGES,
  'Type errors': TYPE_PAGES,
  'Exit codes': EXIT_PAGES,
}

/** All codes that have a page. */
export const EXPLAIN_CODES: readonly string[] = Object.values(EXPLAIN_PAGES).flatMap((pages) => Object.keys(pages))

/** The codes for errors of the operating system. */
const CODES_BY_ERRNO: Readonly<Record<string, string>> = {
  EADDRINUSE: 'PORT_TAKEN',
  EADDRNOTAVAIL: 'CANNOT_LISTEN',
  ...Object.fromEntries(Object.keys(FIX_BY_ERRNO).map((errno) => [errno, 'SYSTEM_REFUSED'])),
}

/** Returns the page for a code, ignoring case, or null if there is no page. System errors have the page of our code. */
export function findExplainPage(code: string): (ExplainPage & { readonly code: string }) | null {
  const name = code.toUpperCase().replaceAll('-', '_')
  const key = (Object.hasOwn(CODES_BY_ERRNO, name) ? CODES_BY_ERRNO[name] : undefined) ?? name
  const pages = Object.values(EXPLAIN_PAGES).find((all) => Object.hasOwn(all, key))
  const page = pages?.[key]
  return page === undefined ? null : { code: key, ...page }
}
