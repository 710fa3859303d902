import { defineSlice } from '../../http/define-slice.js';
import { SavedFilterApplication } from './apply-saved-filters.js';

export const savedFiltersSlice = defineSlice('saved-filters', {
  lists: (parts) => {
    const savedFilters = new SavedFilterApplication(parts);
    return {
      prepare: async (call) =>
        call.query.has('filter') || call.query.has('filter_id')
          ? { ...call, filterQuery: await savedFilters.applySavedFilters(call.query, call.actor) }
          : call,
    };
  },
});
