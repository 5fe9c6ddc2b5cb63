// The balancer of a cluster, in a process of its own: that of a test has its hands full with the clients.
import { startBalancer } from '@sdk/example-cluster/balancer'

/** What it is told by its parent: where the processes are. */
export type FrontTargets = readonly number[]

const { port } = await startBalancer(0, JSON.parse(process.argv[2] ?? '') as FrontTargets)
console.log(`balances http://127.0.0.1:${port}`)
