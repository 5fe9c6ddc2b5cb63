import { APIError } from 'better-auth/api'

/** The members of a client that a consent page may show as links or images. */
const LINKS = ['client_uri', 'logo_uri', 'tos_uri', 'policy_uri']

/** Throws if a client has a link such as `javascript:…`, which would run in the app if its consent page showed it. */
export function assertWebLinks(members: Readonly<Record<string, unknown>>): void {
  for (const name of LINKS) {
    const link = members[name]
    if (typeof link !== 'string' || link === '' || /^https?:\/\//i.test(link)) continue
    throw new APIError('BAD_REQUEST', {
      error: 'invalid_client_metadata',
      error_description: `${name} must be an http or https URL`,
    })
  }
}
