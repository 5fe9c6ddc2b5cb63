import { createSocketObject, createWorker } from '@sdk/server/workers'
import { createContractApp } from '../app.ts'

export const Sockets = createSocketObject(createContractApp)

// oxlint-disable-next-line import/no-default-export -- required by Workers
export default createWorker(createContractApp())
