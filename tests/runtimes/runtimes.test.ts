import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONTRACT } from './contract.ts'
import { recordResults, type LineResult } from './results.ts'
import { listRuntimes, startServer, type RunningServer } from './runtimes.ts'

describe.each(listRuntimes())('the contract on $name', (runtime) => {
  const { name } = runtime
  const results: LineResult[] = []
  let server: RunningServer | undefined
  beforeAll(async () => {
    server = await startServer(runtime)
  })
  afterAll(() => {
    server?.kill()
    recordResults(name, results)
  })

  for (const { part, title, lacks, isLast, check } of CONTRACT) {
    const reason = lacks?.[name]
    if (reason !== undefined) {
      results.push({ part, title, result: { lacks: reason } })
      continue
    }
    it(`${part}: ${title}`, async () => {
      const running = (server ??= await startServer(runtime))
      if (isLast === true) server = undefined
      try {
        await expect(check(running)).resolves.toBeUndefined()
        results.push({ part, title, result: 'passed' })
      } finally {
        if (isLast === true) running.kill()
      }
    })
  }
})
