import { afterAll, beforeAll, describe, it } from 'vitest'
import { CONTRACT } from './contract.ts'
import { recordResults } from './results.ts'
import { listRuntimes, startServer, type RunningServer } from './runtimes.ts'

describe.each(listRuntimes())('the contract on $name', (runtime) => {
  const { name } = runtime
  const passed: string[] = []
  let server: RunningServer | undefined
  beforeAll(async () => {
    server = await startServer(runtime)
  })
  afterAll(() => {
    server?.kill()
    recordResults(name, passed)
  })

  for (const { part, title, isLast, check } of CONTRACT.filter(({ lacks }) => lacks?.[name] === undefined))
    it(`${part}: ${title}`, async () => {
      server ??= await startServer(runtime)
      const running = server
      if (isLast === true) server = undefined
      try {
        await check(running)
        passed.push(title)
      } finally {
        if (isLast === true) running.kill()
      }
    })
})
