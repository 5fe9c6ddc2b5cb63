import { AUTH_FAULTS } from './auth.ts'
import { CLIENT_FAULTS } from './client.ts'
import { DATA_FAULTS } from './data.ts'
import type { Fault } from './fault.ts'
import { SERVER_FAULTS } from './server.ts'
import { TOOL_FAULTS } from './tools.ts'

/** All faults, by package. */
export const FAULTS: readonly Fault[] = [
  ...SERVER_FAULTS,
  ...DATA_FAULTS,
  ...AUTH_FAULTS,
  ...CLIENT_FAULTS,
  ...TOOL_FAULTS,
]
