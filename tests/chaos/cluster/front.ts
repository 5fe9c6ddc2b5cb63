// The load balancer of a cluster. It runs in a separate process, since the process of the test is busy with the
// clients.
import { startBalancer } from '@sdk/example-cluster/balancer'

/** The input from its parent: the ports of the processes. */
export type FrontTargets = readonly number[]

const { port } = await startBalancer(0, JSON.parse(process.argv[2] ?? '') as FrontTargets)
console.log(`balances http://127.0.0.1:${port}`)
