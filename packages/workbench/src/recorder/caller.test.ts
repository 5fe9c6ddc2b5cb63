import { describe, expect, it } from 'vitest'
import { callerOf } from './caller.ts'

describe('callerOf', () => {
  it.each([
    [['X-Sdk-Caller', 'workbench', 'User-Agent', 'Mozilla/5.0'], 'workbench'],
    [['x-sdk-caller', 'sdk run', 'user-agent', 'node'], 'sdk run'],
    [['x-sdk-caller', '<b>'], 'unknown'],
    [['user-agent', 'node', 'x-sdk-as', 'ada@example.com'], 'sdk run'],
    [['User-Agent', 'Mozilla/5.0 (X11)', 'Sec-Fetch-Mode', 'cors'], 'browser'],
    [['user-agent', 'node', 'sec-fetch-mode', 'cors'], 'node'],
    [['Origin', 'http://localhost', 'User-Agent', 'Mozilla/5.0 (X11)', 'Sec-WebSocket-Key', 'x'], 'browser'],
    [['User-Agent', 'node', 'Sec-WebSocket-Key', 'x'], 'node'],
    [['User-Agent', 'curl/8.5.0'], 'curl'],
    [['User-Agent', 'PostmanRuntime/7 x'], 'PostmanRuntime'],
    [[], 'unknown'],
    [['User-Agent', 'x'.repeat(120)], 'x'.repeat(100)],
  ])('identifies %j as %s', (headers, caller) => {
    expect(callerOf(headers)).toBe(caller)
  })
})
