import { createInterface } from 'node:readline/promises'
import { run } from './run.ts'

process.exitCode = await run(process.argv.slice(2), {
  cwd: process.cwd(),
  out: (line) => console.log(line),
  err: (line) => console.error(line),
  ask: process.stdin.isTTY ? ask : null,
})

async function ask(question: string): Promise<string> {
  const prompt = createInterface({ input: process.stdin, output: process.stdout })
  try {
    return await prompt.question(question)
  } finally {
    prompt.close()
  }
}
