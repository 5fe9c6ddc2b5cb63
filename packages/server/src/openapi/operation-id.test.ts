import { describe, expect, it } from 'vitest'
import type { EndpointInfo } from './endpoint-info.ts'
import { toOperationIds } from './operation-id.ts'

function endpoint(route: string, more: Partial<EndpointInfo> = {}): EndpointInfo {
  const [method = '', path = ''] = route.split(' ')
  return { route, method, path, kind: 'route', definition: { handler: () => null }, ...more }
}

function idsOf(...endpoints: EndpointInfo[]): string[] {
  return Array.from(toOperationIds(endpoints).values())
}

describe('toOperationIds', () => {
  it.each([
    ['GET /api/status', 'getApiStatus'],
    ['DELETE /api/reports/:reportId/parts', 'deleteApiReportsByReportIdParts'],
    ['PUT /api/a-b_c.d', 'putApiABCD'],
    ['GET /', 'getRoot'],
    ['GET /日本', 'getRoot'],
    ['POST /agent/own', 'postAgentOwn'],
  ])('converts %s to %s', (route, id) => {
    expect(idsOf(endpoint(route))).toStrictEqual([id])
  })

  it('derives the id of an agent from its name', () => {
    expect(idsOf(endpoint('POST /agent/daily-report', { kind: 'agent' }))).toStrictEqual(['callDailyReport'])
  })

  it('returns unique ids', () => {
    const ids = idsOf(endpoint('GET /a-b'), endpoint('GET /a/b'), endpoint('GET /aB'))
    expect(ids).toStrictEqual(['getAB', 'getAB2', 'getAB3'])
  })
})
