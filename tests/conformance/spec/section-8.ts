import { createAgent, createRouter } from '@sdk/server'
import { expect, it } from 'vitest'
import type { Section } from './section.ts'
import { startService } from './service.ts'

/** Section 8. */
export const section8: Section = {
  number: '8',
  title: 'limits',
  tests(apps) {
    it('8 every API response has the rate limit headers', async () => {
      for (const line of ['GET /api/tenant', 'GET /api/v1/tasks', 'GET /api/v1/tasks/abc']) {
        const { headers } = await apps.open.call(line)
        expect(headers['ratelimit-policy']).toBe('"default";q=600;w=60')
        expect(headers['ratelimit']).toMatch(/^"default";r=\d+;t=\d+$/)
      }
      const agent = await apps.open.call('POST /agent/echo', 1)
      expect(agent.headers['ratelimit-policy']).toBe('"default";q=600;w=60, "agent";q=120;w=60')
      const attempt = await apps.guarded.call('POST /api/auth/sign-in/email', {})
      expect(attempt.headers['ratelimit-policy']).toBe('"default";q=600;w=60, "auth";q=20;w=60')
    })

    it('8 requests above the limit return 429 with Retry-After, and are accepted again later', async () => {
      const service = await startService({
        agents: [createAgent('echo', { handler: (_ctx, input) => input })],
        router: createRouter().on('GET /api/status', () => 'ok'),
        rateLimit: { default: { quota: 2, window: 2 } },
      })
      const burst = [1, 2, 3, 4].map(() => service.call('GET /api/status'))
      const responses = await Promise.all(burst)
      const rejected = responses.filter(({ status }) => status === 429)
      expect(rejected.length).toBeGreaterThanOrEqual(1)
      const wait = Number(rejected[0]?.headers['retry-after'])
      expect(wait).toBeGreaterThanOrEqual(1)
      expect(rejected[0]?.body).toMatchObject({
        error: { code: 'TOO_MANY_REQUESTS', details: [{ code: 'QUOTA_EXCEEDED', policy: 'default' }] },
      })
      await expect.poll(async () => (await service.call('GET /api/status')).status).toBe(200)
      await service.close()
    })
  },
}
