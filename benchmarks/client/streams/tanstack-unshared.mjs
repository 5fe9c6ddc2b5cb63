import { stageQuery } from './streamed-query.mjs'

stageQuery({ structuralSharing: false })
