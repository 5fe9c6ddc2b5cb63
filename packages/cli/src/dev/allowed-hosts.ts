import { isIP } from 'node:net'
import { ApiError, type Servable } from '@sdk/server'
import { createErrorReply } from '../load/error-reply.ts'

/** Options for `restrictHosts`. */
export interface AllowedHosts {
  /** The address that the server listens on. */
  readonly host: string
  /** Additional host names, as in Vite. `.example.com` includes subdomains, and `true` allows all hosts. @default [] */
  readonly allowed?: readonly string[] | true | undefined
}

/**
 * Rejects requests for unknown host names. This prevents DNS rebinding, where an attacker points a domain name at this
 * machine to read responses from agents and routes. Vite and the workbench check the host themselves.
 */
export function restrictHosts(app: Servable, hosts: AllowedHosts): Servable {
  return {
    ...app,
    handle(call) {
      const host = call.header('host') ?? ''
      return isAllowedHost(host, hosts)
        ? app.handle(call)
        : createErrorReply(403, 'FORBIDDEN', forbiddenHostMessage(host))
    },
    async admit(call) {
      const host = call.header('host') ?? ''
      if (!isAllowedHost(host, hosts)) throw new ApiError('FORBIDDEN', forbiddenHostMessage(host))
      return app.admit(call)
    },
  }
}

/** Returns whether a host is allowed. IP addresses are always allowed, since they cannot be rebound. */
export function isAllowedHost(header: string, { host, allowed = [] }: AllowedHosts): boolean {
  if (allowed === true) return true
  const name = header.toLowerCase().replace(/:\d*$/, '')
  if (isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || name === host.toLowerCase()) return true
  return ['localhost', '.localhost', ...allowed].some((one) => matchesHost(name, one.toLowerCase()))
}

function matchesHost(name: string, pattern: string): boolean {
  return name === pattern || (pattern.startsWith('.') && (name === pattern.slice(1) || name.endsWith(pattern)))
}

function forbiddenHostMessage(host: string): string {
  return `sdk dev does not accept requests for the host ${host}: add it to vite.server.allowedHosts in sdk.config.ts`
}
