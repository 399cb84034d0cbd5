// Which names a query reads, before resolution: for the graph of datasets.
#pragma once

#include <string>
#include <vector>

#include "plan/tree.h"

namespace lakebed::run {

// Every name in FROM position, subqueries included; names of CTEs of the query are left out.
std::vector<std::vector<std::string>> names_read(const plan::RelationPtr& query);

// True where the query calls a table function of that name (compared without case), subqueries
// included.
bool calls_table_function(const plan::RelationPtr& query, const std::string& name);

}  // namespace lakebed::run
